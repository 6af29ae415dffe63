//! CPU times, from `SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION`.

use super::fields::Fields;
use diskspd_machine::cpu_times::{CpuTimes, LostTimes};
use diskspd_machine::kernel_cpu;

const ONE: usize = 48;

/// Returns the times of a group's active CPUs in 100 ns, by kernel number. The response lists them in
/// order without numbers, which `mask` provides. Kernel time includes idle time, interrupts and deferred
/// procedure calls. Time stolen by a hypervisor is not available.
pub(super) fn times(answer: &[u8], group: u16, mask: u64) -> Vec<(u32, (CpuTimes, LostTimes))> {
    let cpus = (0..u64::BITS).filter(|cpu| mask >> cpu & 1 == 1);
    let each = Fields(answer).array(0, ONE, usize::MAX);
    let found = cpus.zip(each).filter_map(|(cpu, found)| {
        let (idle, kernel, user) = (found.u64(0)?, found.u64(8)?, found.u64(16)?);
        let interrupts = found.u64(24)?.saturating_add(found.u64(32)?);
        let times = CpuTimes { idle, kernel: kernel.saturating_sub(idle), user };
        Some((kernel_cpu(group, cpu), (times, LostTimes { interrupts, steal: 0 })))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample_times(numbers: [u64; 5]) -> Vec<u8> {
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        numbers.chain([7, 0, 0, 0, 0, 0, 0, 0]).collect()
    }

    #[test]
    fn idle_time_is_not_kernel_time_on_masked_cpus() {
        let answer = [
            sample_times([70, 100, 5, 2, 3]),
            sample_times([0, 10, 20, 0, 0]),
            sample_times([9, 4, 0, 0, 0]),
        ]
        .concat();
        let time = |idle, kernel, user, interrupts| {
            (CpuTimes { idle, kernel, user }, LostTimes { interrupts, steal: 0 })
        };
        let expected = [
            (65, time(70, 30, 5, 5)),
            (67, time(0, 10, 20, 0)),
            // The counters are read one after the other.
            (68, time(9, 0, 0, 0)),
        ];
        assert_eq!(times(&answer, 1, 0b11010), expected);
        assert_eq!(times(&answer[..95], 0, u64::MAX), [(0, time(70, 30, 5, 5))], "one is there whole");
        assert_eq!(times(&answer, 0, 0), []);
    }

    proptest! {
        #[test]
        fn answers_list_times_of_active_processors_only(
            answer in prop::collection::vec(any::<u8>(), 0..200), group in any::<u16>(), mask in any::<u64>(),
        ) {
            let found = times(&answer, group, mask);
            prop_assert!(found.len() <= answer.len() / ONE);
            prop_assert!(found.iter().all(|(cpu, _)| mask >> (cpu % 64) & 1 == 1));
        }
    }
}
