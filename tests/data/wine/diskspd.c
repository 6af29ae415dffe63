/* Plays Microsoft's tool for the tests of --with under Wine, as tests/data/with/diskspd does on Linux: 1000 I/Os per
   second for each outstanding I/O, up to eight. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char profile[1 << 16];

/* The number in the last element of this name. */
static long value(const char *element)
{
    const char *found = NULL;
    for (const char *at = profile; (at = strstr(at, element)) != NULL; at += strlen(element))
        found = at;
    return found ? atol(found + strlen(element)) : 0;
}

int main(int count, char **words)
{
    if (count != 2 || strncmp(words[1], "-X", 2) != 0) {
        printf("\nUsage: %s [options] target1 [ target2 [ target3 ...] ]\nversion 2.1.0 (2021/7/1)\n\n", words[0]);
        return 1;
    }
    FILE *file = fopen(words[1] + 2, "rb");
    if (file == NULL) {
        fprintf(stderr, "ERROR: can't open %s\n", words[1] + 2);
        return 1;
    }
    fread(profile, 1, sizeof profile - 1, file);
    fclose(file);
    long depth = value("<RequestCount>"), seconds = value("<Duration>"), block = value("<BlockSize>");
    long ios = (depth > 8 ? 8 : depth) * 1000 * seconds;
    double ms = depth > 8 ? depth / 8.0 : 1.0;
    printf("<Results>\n<System><ComputerName>WIN-LAB</ComputerName><Tool><Version>2.1.0</Version></Tool>"
           "<RunTime>2026/01/02 03:04:05 UTC</RunTime></System>\n%s", profile);
    printf("<TimeSpan><TestTimeSeconds>%ld.00</TestTimeSeconds><ThreadCount>1</ThreadCount>\n", seconds);
    printf("<CpuUtilization><CPU><UsagePercent>30.00</UsagePercent></CPU>"
           "<Average><UsagePercent>20.00</UsagePercent></Average></CpuUtilization>\n");
    printf("<Latency><AverageTotalMilliseconds>%.3f</AverageTotalMilliseconds>\n", ms);
    for (int place = 0; place < 3; place++)
        printf("<Bucket><Percentile>%s</Percentile><TotalMilliseconds>%.3f</TotalMilliseconds></Bucket>\n",
               (const char *[]){"99", "99.9", "100"}[place], ms);
    printf("</Latency><Thread><Target><BytesCount>%ld</BytesCount><IOCount>%ld</IOCount></Target></Thread>\n",
           ios * block, ios);
    printf("</TimeSpan></Results>\n");
    return 0;
}
