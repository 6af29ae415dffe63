//! Tests of the bytes accessible to a thread, and of impossible starts.

use diskspd::workload::{Grid, Placement, PlacementError, Region};

const PLACE: Placement =
    Placement { size: 10_000, base: 0, max_offset: 0, block_size: 1000, thread: 0, thread_stride: 0 };

#[test]
fn regions_match_vectors() {
    let region = |placement: Placement| placement.region().unwrap();
    assert_eq!(region(PLACE), Region { base: 0, length: 10_000, first: 0 });
    assert_eq!(region(Placement { base: 700, ..PLACE }), Region { base: 700, length: 9300, first: 0 });
    let both = Placement { base: 700, max_offset: 1700, ..PLACE };
    assert_eq!(region(both), Region { base: 700, length: 1000, first: 0 });
    let beyond = Placement { max_offset: 20_000, ..PLACE };
    assert_eq!(region(beyond), Region { base: 0, length: 10_000, first: 0 }, "the real size counts");
    let third = Placement { thread: 3, thread_stride: 3000, ..PLACE };
    assert_eq!(region(third), Region { base: 0, length: 10_000, first: 9000 }, "just fits");
}

#[test]
fn thread_without_room_states_the_reason() {
    let message = |placement: Placement| placement.region().unwrap_err().to_string();
    let cases = [
        (Placement { base: 10_000, ..PLACE }, "base offset (-B) of 10000 bytes is at or beyond the end"),
        (Placement { base: 5000, max_offset: 5000, ..PLACE }, "maximum offset 5000"),
        (Placement { base: 9001, ..PLACE }, "1000 bytes (-b) does not fit into the area of 999 bytes"),
        (
            Placement { thread: 3, thread_stride: 3001, ..PLACE },
            "thread 3 of the target does not fit: it needs 10003 bytes (thread number x stride + block) of \
             an area of 10000",
        ),
        (
            Placement { thread: 3, thread_stride: 3001, ..PLACE },
            "(target size 10000, base offset 0, maximum offset none, thread 3, thread stride 3001, block size 1000)",
        ),
    ];
    for (placement, part) in cases {
        let message = message(placement);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn placement_never_overflows() {
    let far = Placement { thread: u32::MAX, thread_stride: u64::MAX, ..PLACE };
    assert!(matches!(far.region(), Err(PlacementError::StartBeyondRegion { region: 10_000, .. })));
    let large = Grid { region: u64::MAX, block_size: 1, stride: 1 };
    assert_eq!(large.positions(), u64::MAX);
}

/// Region, block, stride; number of positions, aligned size.
#[test]
fn grids_match_vectors() {
    let cases = [
        ((10_000, 1000, 1000), (10, 10_000)),
        ((10_999, 1000, 1000), (10, 10_000)),
        ((10_000, 1000, 300), (31, 9300)),
        ((10_000, 1000, 3000), (4, 12_000)),
        ((1000, 1000, 77), (1, 77)),
    ];
    for ((region, block_size, stride), expected) in cases {
        let grid = Grid { region, block_size, stride };
        assert_eq!((grid.positions(), grid.aligned_size()), expected, "{grid:?}");
    }
}
