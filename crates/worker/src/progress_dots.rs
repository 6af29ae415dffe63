//! Dots that show progress (`-P`).

pub(super) struct Dots {
    pub(super) every: u32,
    pub(super) until_next: u32,
}

impl Dots {
    pub(super) fn new(every: u32) -> Dots {
        Dots { every, until_next: every }
    }

    #[inline]
    pub(super) fn count_dots(&mut self, mut ios: u32) -> u32 {
        let mut dots = 0;
        while ios >= self.until_next {
            ios -= self.until_next;
            self.until_next = self.every;
            dots += 1;
        }
        self.until_next -= ios;
        dots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_dots_follow_io_count() {
        let mut dots = Dots::new(10);
        let due: Vec<u32> = [9, 1, 0, 25, 4, 1].into_iter().map(|ios| dots.count_dots(ios)).collect();
        assert_eq!(due, [0, 1, 0, 2, 0, 1]);
    }
}
