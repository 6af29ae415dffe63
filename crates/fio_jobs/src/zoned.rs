//! Jobs that work in zones (`zonemode=zbd`).

use super::job::RequestedJob;
use super::settings::JobSettings;
use super::shape::{JobDirection, JobShape};
use diskspd_base::engines::EngineKind;

/// Whether the rule is violated, the option, the reason, and the remedy.
type JobZoneRule = (bool, &'static str, &'static str, &'static str);

impl RequestedJob {
    pub(super) fn zones_fit(&self, settings: &JobSettings) -> bool {
        if !self.zoned {
            return true;
        }
        let broken = self.zone_rules(settings).into_iter().filter(|(broken, ..)| *broken);
        if broken.map(|(_, option, reason, remedy)| settings.refuse(option, reason, remedy)).count() > 0 {
            return false;
        }
        let what = if self.has_writes() {
            "each outstanding write has its own zone, and fills it; fio writes the zone of the drawn \
             address, and has several writes of one zone in flight"
        } else {
            "reads stay below the write pointers; another one goes to the next zone that holds data"
        };
        settings.add_note("zonemode", what);
        true
    }

    fn zone_rules(&self, settings: &JobSettings) -> Vec<JobZoneRule> {
        let JobShape { random_percent, hole, way, .. } = self.shape;
        let outstanding = u64::from(self.depth) * u64::from(self.clones);
        let too_many = |name, zones: u64| {
            let most = settings.number(name, 0..=u64::MAX).filter(|most| *most > 0);
            self.has_writes() && most.is_some_and(|most| zones > most)
        };
        let open = "each outstanding write has its own zone, and more of them than zones may be open";
        vec![
            (
                way == JobDirection::Trim,
                "rw",
                "zones are emptied as a whole, by the writes that come to them again",
                "use rw=write",
            ),
            (
                self.shape.has_several_sizes()
                    || matches!(way, JobDirection::Mixed(_) if random_percent == 0),
                "rw",
                "a zone is filled with blocks of one size, all in order or all at random",
                "give one bs, and rw=randrw for reads and writes",
            ),
            (
                (1..100).contains(&random_percent) || hole > 0 || !self.shape.is_uniform(),
                "zonemode",
                "the zones decide where I/Os go",
                "leave out percentage_random, random_distribution and the number after rw",
            ),
            (self.run.verify, "verify", "sectors of a reset zone have no stamps", "leave it out"),
            (
                !self.direct
                    || !matches!(
                        self.engine,
                        EngineKind::Aio | EngineKind::Uring | EngineKind::Sync | EngineKind::Nvme
                    ),
                "zonemode",
                "writes to zones bypass the page cache",
                "use direct=1, and libaio, io_uring, psync or io_uring_cmd",
            ),
            (
                self.atomic || self.dont_cache,
                "zonemode",
                "atomic and uncached are not for zones",
                "leave them out",
            ),
            (too_many("max_open_zones", outstanding), "max_open_zones", open, "lower iodepth or numjobs"),
            (too_many("job_max_open_zones", self.depth.into()), "job_max_open_zones", open, "lower iodepth"),
        ]
    }
}
