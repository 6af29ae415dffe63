//! Fuzz target: any bytes as a journal of acknowledged writes are rejected, or read to the end of the last
//! complete piece. Later data never changes earlier results.

use diskspd::integrity::journal::format;

pub fn check(data: &[u8]) {
    let Ok(content) = format::read(data) else { return };
    assert!(content.broken <= data.len() as u64);
    for ack in content.acknowledged.values() {
        let target = &content.targets[&ack.target];
        assert!(ack.offset % target.unit == 0 && target.unit % u64::from(target.sector) == 0);
    }
    let whole = &data[..data.len() - content.broken as usize];
    let again = format::read(whole).unwrap();
    assert_eq!(again, format::JournalContent { broken: 0, ..content });
}
