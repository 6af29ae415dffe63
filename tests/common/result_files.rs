//! Realistic result files: output of DISKSPD itself, modified in every legal way that preserves its
//! figures.
#![allow(dead_code)] // every test binary uses another part of this

/// Recorded results of DISKSPD: names and documents.
pub const DISKSPD: [(&str, &str); 15] = [
    ("01_plain", include_str!("../data/synth/01_plain.xml")),
    ("04_lat_write", include_str!("../data/synth/04_lat_write.xml")),
    ("07_LD_sparse", include_str!("../data/synth/07_LD_sparse.xml")),
    ("10_two_files_t2", include_str!("../data/synth/10_two_files_t2.xml")),
    ("13_noio_nolat", include_str!("../data/synth/13_noio_nolat.xml")),
    ("16_ties", include_str!("../data/synth/16_ties.xml")),
    ("19_idlecpu", include_str!("../data/synth/19_idlecpu.xml")),
    ("22_groups", include_str!("../data/synth/22_groups.xml")),
    ("25_dist", include_str!("../data/synth/25_dist.xml")),
    ("28_size_s0", include_str!("../data/synth/28_size_s0.xml")),
    ("31_size_s1024", include_str!("../data/synth/31_size_s1024.xml")),
    ("34_size_s1G5", include_str!("../data/synth/34_size_s1G5.xml")),
    ("37_size_s2000T", include_str!("../data/synth/37_size_s2000T.xml")),
    ("40_rand0", include_str!("../data/synth/40_rand0.xml")),
    ("43_rand3", include_str!("../data/synth/43_rand3.xml")),
];

pub struct Mutation {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// Returns twenty forms of the document; two of them contain it several times.
pub fn mutations(text: &str) -> Vec<Mutation> {
    let utf16 = |unit: fn(u16) -> [u8; 2]| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(unit).collect::<Vec<u8>>()
    };
    let lines = text.lines();
    let minified: String = lines.clone().map(str::trim).collect();
    let texts: [(&'static str, String); 18] = [
        ("as it was printed", text.to_owned()),
        ("with line ends of Windows", lines.clone().map(|line| format!("{line}\r\n")).collect()),
        ("with a byte order mark", format!("\u{feff}{text}")),
        ("in one line", minified.clone()),
        ("with empty lines", lines.clone().map(|line| format!("{line}\n\n")).collect()),
        ("with tabs", text.replace("  ", "\t")),
        ("with a declaration", format!("<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n{text}")),
        ("with comments", text.replace("  <TimeSpan>", "  <!-- of -r --><TimeSpan>")),
        ("behind progress", format!("..........\n\nFinished file preparation\n{text}\n")),
        ("within another element", format!("<Runs host='a'>\n<Run n=\"1\">{text}</Run>\n</Runs>\n")),
        ("twice", format!("{text}\n{text}")),
        ("three times, each with a mark", format!("\u{feff}{text}\u{feff}{text}\u{feff}{minified}")),
        ("with elements of later versions", later(text)),
        ("of an old version", text.replace("<Version>2.2.0<", "<Version>2.0.21a<")),
        ("with spaces in tags", text.replace("<Target>", "<Target >").replace("</Target>", "</Target\n>")),
        ("with blanks around numbers", padded(text)),
        ("with CDATA and numbered characters", in_other_words(text)),
        ("without what nobody reads", without(text, &["ProcessorTopology", "WaitStatistics"])),
    ];
    let mut all: Vec<Mutation> =
        texts.into_iter().map(|(name, text)| Mutation { name, bytes: text.into_bytes() }).collect();
    all.push(Mutation { name: "as PowerShell writes it", bytes: utf16(u16::to_le_bytes) });
    all.push(Mutation { name: "in UTF-16, big end first", bytes: utf16(u16::to_be_bytes) });
    all
}

fn later(text: &str) -> String {
    let span = "<ProcCount>";
    let effective = "<EffectiveBufferSeparation>16777216</EffectiveBufferSeparation><EffectiveAffinity>\
                     <Group Group=\"0\" Mask=\"0x5\"/></EffectiveAffinity><ProcCount>";
    text.replace(span, effective)
        .replace("<TimeSpans>", "<BufferSeparation>PDECacheLine</BufferSeparation><TimeSpans>")
        .replace(
            "<RandSeed>",
            "<IoRing><Batch>8</Batch></IoRing><CompletionDepth>16</CompletionDepth><RandSeed>",
        )
        .replace(
            "<ComputerName>",
            "<ProcessorName>CPU</ProcessorName><PageSize>4096</PageSize><ComputerName>",
        )
        .replace("<Id>0</Id>", "<Id>0</Id><SubmitCount>7</SubmitCount>")
}

fn padded(text: &str) -> String {
    ["IOCount", "ReadBytes", "BlockSize", "TestTimeSeconds", "Duration"].iter().fold(
        text.to_owned(),
        |text, name| {
            text.replace(&format!("<{name}>"), &format!("<{name}> "))
                .replace(&format!("</{name}>"), &format!("\n</{name}>"))
        },
    )
}

fn in_other_words(text: &str) -> String {
    text.replace("<ComputerName>testhost<", "<ComputerName><![CDATA[testhost]]><")
        .replace(".dat<", "&#46;d&#x61;t<")
}

/// Returns the document without these elements.
fn without(text: &str, names: &[&str]) -> String {
    let mut left = text.to_owned();
    for name in names {
        while let Some(begin) = left.find(&format!("<{name}>")).or_else(|| left.find(&format!("<{name} "))) {
            let close = format!("</{name}>");
            let Some(length) = left[begin..].find(&close) else { break };
            left.replace_range(begin..begin + length + close.len(), "");
        }
    }
    left
}
