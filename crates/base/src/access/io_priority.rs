//! I/O priorities (`-I`), as the kernel encodes them: three bits of class, thirteen of level
//! (linux/ioprio.h).

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum IoPriority {
    /// No priority; the nice value of the thread decides.
    #[default]
    Unstated,
    /// Lowest level (7) of the best-effort class.
    Low,
    Idle,
}

const CLASS_SHIFT: u16 = 13;

const CLASS_BEST_EFFORT: u16 = 2;

const CLASS_IDLE: u16 = 3;

const LOWEST_LEVEL: u16 = 7;

impl IoPriority {
    /// The kernel's number; 0 = unstated.
    #[inline]
    pub fn encoded(self) -> u16 {
        match self {
            IoPriority::Unstated => 0,
            IoPriority::Low => CLASS_BEST_EFFORT << CLASS_SHIFT | LOWEST_LEVEL,
            IoPriority::Idle => CLASS_IDLE << CLASS_SHIFT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_encoding_matches_the_kernel() {
        for (priority, class, level) in
            [(IoPriority::Unstated, 0, 0), (IoPriority::Low, 2, 7), (IoPriority::Idle, 3, 0)]
        {
            assert_eq!(priority.encoded() >> 13, class, "{priority:?}");
            assert_eq!(priority.encoded() & 0x1fff, level, "{priority:?}");
        }
    }
}
