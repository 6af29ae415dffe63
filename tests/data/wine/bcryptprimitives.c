/* A stand-in for the one function that Rust's standard library takes from bcryptprimitives.dll, which Debian's Wine 8
   lacks. RtlGenRandom of advapi32.dll, by its real name, gives the same. */
#include <stddef.h>

unsigned char __stdcall SystemFunction036(void *data, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, size_t length) {
    return SystemFunction036(data, (unsigned long)length);
}
