//! The schema of a profile: DISKSPD's elements, in the order in which profiles usually have them.

use super::schema::Content::{Empty, Group, Many, One, Value};
use super::schema::Kind::{Bool, Number, Text, Word};
use super::schema::{Attribute, Child, Element, PERCENT, U32, U64, element, may, must, value};
use crate::{
    BufferSeparation, BypassIo, DistributionKind, Efficiency, Etw, FlushType, PrecreateFiles, ResultFormat,
};
use diskspd_base::access::WriteLifetime;

pub(super) static PROFILE: Element = element(
    "Profile",
    Group(&[
        value("Progress", U32),
        value("ExperimentFlags", U32),
        value("ResultFormat", Word(ResultFormat::XML_WORDS)),
        value("Verbose", Bool),
        value("VerboseStats", Bool),
        value("PrecreateFiles", Word(PrecreateFiles::XML_WORDS)),
        may("ETW", Group(ETW)),
        must("TimeSpans", Many(&[element("TimeSpan", Group(TIME_SPAN))])),
    ]),
);

const ETW: &[Child] = &{
    let mut switches = [const { value("", Bool) }; Etw::SWITCHES.len()];
    let mut at = 0;
    while at < switches.len() {
        switches[at] = value(Etw::SWITCHES[at].0, Bool);
        at += 1;
    }
    switches
};

const TIME_SPAN: &[Child] = &[
    value("CompletionRoutines", Bool),
    value("MeasureLatency", Bool),
    value("CalculateIopsStdDev", Bool),
    value("DisableAffinity", Bool),
    // Of old profiles; means nothing any more.
    value("GroupAffinity", Bool),
    value("Duration", U32),
    value("Warmup", U32),
    value("Cooldown", U32),
    value("ThreadCount", U32),
    value("RequestCount", U32),
    value("IoBucketDuration", U32),
    value("RandSeed", U32),
    value("RandomWriteData", Bool),
    // From here on what came with DISKSPD 2.3.
    may("IoRing", Group(IO_RING)),
    Child {
        required: false,
        element: Element {
            name: "AffinityTraversal",
            attributes: &[
                Attribute { name: "Group", required: false, kind: Word(&["Fill", "Span"]) },
                Attribute { name: "Efficiency", required: false, kind: Word(Efficiency::XML_WORDS) },
            ],
            content: Value(Word(&["CoreAware", "Cpu"])),
        },
    },
    value("BufferSeparation", Word(BufferSeparation::XML_WORDS)),
    value("CompletionDepth", U32),
    may("Affinity", Many(AFFINITY)),
    must("Targets", Many(&[element("Target", Group(TARGET))])),
    value("linux:UntilWritten", Text),
    value("linux:UntilRead", Text),
];

const IO_RING: &[Child] = &[
    Child {
        required: false,
        element: Element {
            name: "IoRingBatchSize",
            attributes: &[Attribute { name: "Percent", required: false, kind: Bool }],
            content: Value(Number(1, 65536)),
        },
    },
    value("UseRegBuffer", Bool),
];

const AFFINITY: &[Element] = &[
    // DISKSPD 2.3's form: CPUs by their bits, 0 = all of the group.
    Element {
        name: "Group",
        attributes: &[
            Attribute { name: "Group", required: true, kind: U32 },
            Attribute { name: "Mask", required: true, kind: Text },
        ],
        content: Empty,
    },
    Element {
        name: "AffinityGroupAssignment",
        attributes: &[
            Attribute { name: "Group", required: false, kind: U32 },
            Attribute { name: "Processor", required: false, kind: U32 },
        ],
        content: Empty,
    },
    // The old form: a CPU of group 0.
    element("AffinityAssignment", Value(U32)),
];

const TARGET: &[Child] = &[
    must("Path", Value(Text)),
    value("BlockSize", U32),
    value("BaseFileOffset", U64),
    value("SequentialScan", Bool),
    value("RandomAccess", Bool),
    value("TemporaryFile", Bool),
    value("UseLargePages", Bool),
    value("DisableLocalCache", Bool),
    value("DisableOSCache", Bool),
    // The old form of DisableOSCache and WriteThrough.
    value("DisableAllCache", Bool),
    value("WriteThrough", Bool),
    value("MemoryMappedIo", Bool),
    value("BypassIO", Word(BypassIo::XML_WORDS)),
    value("FlushType", Word(FlushType::XML_WORDS)),
    may("WriteBufferContent", Group(WRITE_BUFFER_CONTENT)),
    value("ParallelAsyncIO", Bool),
    value("BurstSize", U32),
    value("ThinkTime", U32),
    value("FileSize", U64),
    value("Random", U64),
    value("RandomRatio", Number(1, 99)),
    may("Distribution", One(DISTRIBUTION)),
    value("StrideSize", U64),
    value("InterlockedSequential", Bool),
    value("ThreadStride", U64),
    value("MaxFileSize", U64),
    value("RequestCount", U32),
    value("WriteRatio", PERCENT),
    Child {
        required: false,
        element: Element {
            name: "Throughput",
            attributes: &[Attribute { name: "unit", required: false, kind: Word(&["BPMS", "IOPS"]) }],
            content: Value(U32),
        },
    },
    value("ThreadsPerFile", U32),
    value("IOPriority", U32),
    value("Weight", U32),
    may("ThreadTargets", Many(&[element("ThreadTarget", Group(THREAD_TARGET))])),
    value("linux:Distribution", Text),
    value("linux:BlockSizes", Text),
    may("linux:Mix", Many(&[MIX_PART])),
    Child { required: false, element: WRITE_CONTENT },
    value("linux:TrimRatio", Number(1, 100)),
    value("linux:WriteZeroesRatio", Number(1, 100)),
    value("linux:FuaRatio", Number(1, 100)),
    value("linux:DontCache", Bool),
    value("linux:Atomic", Bool),
    value("linux:NoWait", Bool),
    value("linux:Zoned", Bool),
    value("linux:EachOnce", Bool),
    value("linux:WriteHint", Word(WriteLifetime::NAMES)),
    value("linux:PlacementHandles", Text),
    value("linux:WriteStreams", Text),
];

const MIX_PART: Element = Element {
    name: "Part",
    attributes: &[Attribute { name: "Share", required: true, kind: Number(1, 1_000_000) }],
    content: Group(&[
        value("BlockSize", U32),
        value("BaseFileOffset", U64),
        value("Random", U64),
        value("RandomRatio", Number(1, 99)),
        may("Distribution", One(DISTRIBUTION)),
        value("StrideSize", U64),
        value("MaxFileSize", U64),
        value("WriteRatio", PERCENT),
        value("linux:Distribution", Text),
        value("linux:BlockSizes", Text),
    ]),
};

const WRITE_CONTENT: Element = Element {
    name: "linux:WriteContent",
    attributes: &[
        Attribute { name: "Compress", required: true, kind: Number(0, 99) },
        Attribute { name: "Dedupe", required: true, kind: Number(0, 99) },
    ],
    content: Empty,
};

const WRITE_BUFFER_CONTENT: &[Child] = &[
    must("Pattern", Value(Word(&["sequential", "zero", "random"]))),
    may("RandomDataSource", Group(&[must("SizeInBytes", Value(U64)), value("FilePath", Text)])),
];

const DISTRIBUTION: &[Element] = &[
    element(DistributionKind::XML_WORDS[0], Many(&[range_element(Number(1, 100))])),
    element(DistributionKind::XML_WORDS[1], Many(&[range_element(U64)])),
];

const fn range_element(span: super::schema::Kind) -> Element {
    Element {
        name: "Range",
        attributes: &[Attribute { name: "IO", required: true, kind: PERCENT }],
        content: Value(span),
    }
}

const THREAD_TARGET: &[Child] = &[must("Thread", Value(U32)), value("Weight", U32)];
