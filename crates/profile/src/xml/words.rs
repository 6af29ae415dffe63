//! Words and switches in elements, declared once for the schema, the reader and the writer.

use crate::{
    BufferSeparation, BypassIo, DistributionKind, Efficiency, Etw, FlushType, PrecreateFiles, ResultFormat,
};

macro_rules! words {
    ($type:ident { $($variant:ident: $word:literal),+ }) => {
        impl $type {
            pub(super) const XML_WORDS: &[&str] = &[$($word),+];

            pub fn xml_word(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }

            pub(super) fn from_xml(word: &str) -> Option<$type> {
                match word {
                    $($word => Some($type::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words!(ResultFormat { Text: "text", Xml: "xml" });
words!(BypassIo { Partial: "Partial", Full: "Full" });
words!(BufferSeparation { SystemDefault: "SystemDefault", PageDirectories: "PDECacheLine" });
words!(DistributionKind { Percent: "Percent", Absolute: "Absolute" });
words!(PrecreateFiles {
    UseMaxSize: "UseMaxSize",
    OnlyFilesWithConstantSizes: "CreateOnlyFilesWithConstantSizes",
    OnlyFilesWithConstantOrZeroSizes: "CreateOnlyFilesWithConstantOrZeroSizes"
});
words!(FlushType {
    ViewOfFile: "ViewOfFile",
    NonVolatileMemory: "NonVolatileMemory",
    NonVolatileMemoryNoDrain: "NonVolatileMemoryNoDrain"
});
words!(Efficiency {
    Unordered: "Unordered",
    PFirst: "PFirst",
    EFirst: "EFirst",
    FillPFirst: "FillPFirst",
    FillEFirst: "FillEFirst"
});

type EtwSwitch = fn(&mut Etw) -> &mut bool;

impl Etw {
    /// Elements and their switches, in order.
    pub const SWITCHES: [(&str, EtwSwitch); 12] = [
        ("Process", |etw| &mut etw.process),
        ("Thread", |etw| &mut etw.thread),
        ("ImageLoad", |etw| &mut etw.image_load),
        ("DiskIO", |etw| &mut etw.disk_io),
        ("MemoryPageFaults", |etw| &mut etw.memory_page_faults),
        ("MemoryHardFaults", |etw| &mut etw.memory_hard_faults),
        ("Network", |etw| &mut etw.network),
        ("Registry", |etw| &mut etw.registry),
        ("UsePagedMemory", |etw| &mut etw.use_paged_memory),
        ("UsePerfTimer", |etw| &mut etw.use_perf_timer),
        ("UseSystemTimer", |etw| &mut etw.use_system_timer),
        ("UseCyclesCounter", |etw| &mut etw.use_cycles_counter),
    ];
}
