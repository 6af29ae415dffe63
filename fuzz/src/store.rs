//! Any bytes as a compressed record, and as the notes of a run of the history: refused, or the same
//! when written again.

use diskspd::formats::{json, result_xml};
use diskspd::store::{RunNotes, packed};

pub fn check(data: &[u8]) {
    match packed::unpack(data) {
        // A small file can be a large one: reading it is the other targets' concern.
        Ok(bytes) if bytes.len() < 1 << 20 => {
            assert_eq!(packed::unpack(&packed::pack(&bytes)[..]).unwrap(), bytes);
            let _ = json::read(&bytes);
            let _ = result_xml::read(&bytes, "fuzz.xml.gz");
        }
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(notes) = serde_json::from_slice::<RunNotes>(data) {
        let again = serde_json::from_slice::<RunNotes>(&serde_json::to_vec(&notes).unwrap()).unwrap();
        assert_eq!(again, notes);
    }
}
