use super::*;
use crate::in_process::{self, ThreadRank};
use crate::offset::Offset;
use diskspd_sys::clock;
use std::thread;

fn test_limits() -> WaitLimits {
    let ms = Duration::from_millis;
    WaitLimits { beat: ms(20), silence: ms(3000), look: ms(1), pings: 8, clock: ms(2000) }
}

fn run_together<T: Send>(
    size: usize,
    limits: WaitLimits,
    other: impl Fn(usize, RankLink) + Sync,
    lead: impl FnOnce(RankLink) -> T,
) -> T {
    let mut ranks = in_process::group(size);
    let mut first = ranks.remove(0);
    thread::scope(|scope| {
        for (at, mut rank) in ranks.into_iter().enumerate() {
            let other = &other;
            scope.spawn(move || other(at + 1, RankLink::new(&mut rank, limits)));
        }
        lead(RankLink::new(&mut first, limits))
    })
}

fn do_nothing(_: &mut RankLink) {}

#[test]
fn every_round_collects_answers_and_sends_one_decision() {
    let rounds = 5u8;
    let other = |rank: usize, mut link: RankLink| {
        for round in 0..rounds {
            let decision = link.answer(vec![rank as u8, round], do_nothing).unwrap();
            assert_eq!(decision, [round, 200]);
        }
    };
    run_together(5, test_limits(), other, |mut link| {
        for round in 0..rounds {
            let answers = link.gather(vec![0, round], do_nothing);
            let expected: Vec<_> = (0..5).map(|rank| Some(vec![rank, round])).collect();
            assert_eq!(answers, expected);
            link.decide(&[round, 200]);
        }
        assert!(link.is_complete());
    });
}

#[test]
fn silent_rank_is_lost_and_others_continue() {
    let limits = WaitLimits { silence: Duration::from_millis(400), ..test_limits() };
    let other = |rank: usize, mut link: RankLink| {
        link.answer(vec![rank as u8], do_nothing).unwrap();
        // Dies between two rounds.
        if rank != 2 {
            link.answer(vec![rank as u8], do_nothing).unwrap();
        }
    };
    let (answers, lost) = run_together(4, limits, other, |mut link| {
        link.gather(vec![0], do_nothing);
        link.decide(b"go");
        let answers = link.gather(vec![0], do_nothing);
        link.decide(b"go");
        (answers, link.lost_ranks())
    });
    assert_eq!(answers, [Some(vec![0]), Some(vec![1]), None, Some(vec![3])]);
    assert!(lost[2].as_ref().unwrap().contains("no message from it for"), "{lost:?}");
    assert_eq!(lost.iter().flatten().count(), 1);
}

#[test]
fn slow_rank_with_heartbeats_is_awaited() {
    let limits = WaitLimits { silence: Duration::from_millis(1500), ..test_limits() };
    let other = |rank: usize, mut link: RankLink| {
        let until = clock::monotonic() + 2 * SECOND;
        while clock::monotonic() < until {
            link.tend().unwrap();
            thread::sleep(Duration::from_millis(5));
        }
        link.answer(vec![rank as u8], do_nothing).unwrap();
    };
    let answers = run_together(2, limits, other, |mut link| {
        let answers = link.gather(vec![0], do_nothing);
        link.decide(b"");
        answers
    });
    assert_eq!(answers, [Some(vec![0]), Some(vec![1])]);
}

#[test]
fn dropped_rank_is_notified_on_return() {
    let mut ranks = in_process::group(2);
    let (mut other, mut first) = (ranks.remove(1), ranks.remove(0));
    let silence = Duration::from_millis(1);
    let mut lead = RankLink::new(&mut first, WaitLimits { silence, ..test_limits() });
    thread::sleep(Duration::from_millis(5));
    assert_eq!(lead.gather(vec![0], do_nothing), [Some(vec![0]), None]);
    let mut link = RankLink::new(&mut other, test_limits());
    link.send_frame(0, &Frame::Alive);
    let _ = lead.tend();
    assert_eq!(link.tend(), Err(SeparationError::GivenUp { silent_s: 0 }));
}

#[test]
fn loss_of_rank_0_releases_all_ranks() {
    let limits = WaitLimits { silence: Duration::from_millis(50), ..test_limits() };
    let mut ranks: Vec<ThreadRank> = in_process::group(2);
    let mut link = RankLink::new(&mut ranks[1], limits);
    assert!(matches!(link.answer(vec![1], do_nothing), Err(SeparationError::NoRank0(_))));
}

#[test]
fn stop_request_reaches_every_rank() {
    let other = |rank: usize, mut link: RankLink| {
        if rank == 1 {
            link.say_stop(2);
        }
        link.answer(Vec::new(), do_nothing).unwrap();
        assert_eq!(link.stop(), Some(2));
    };
    run_together(4, test_limits(), other, |mut link| {
        while link.stop().is_none() {
            link.tend().unwrap();
        }
        link.gather(Vec::new(), do_nothing);
        link.decide(b"");
        assert_eq!(link.stop(), Some(2));
    });
}

/// Asks all ranks of a group for their clocks, of which the ranks say these to be the same.
fn measure_clocks(size: usize, first_with: &[usize]) -> Vec<Offset> {
    let other = |_: usize, mut link: RankLink| {
        link.answer(Vec::new(), do_nothing).unwrap();
    };
    run_together(size, test_limits(), other, |mut link| {
        link.gather(Vec::new(), do_nothing);
        let clocks = link.clocks(first_with);
        link.decide(b"");
        clocks.into_iter().map(Option::unwrap).collect()
    })
}

#[test]
fn clocks_of_one_machine_agree_within_uncertainty() {
    let clocks = measure_clocks(40, &[]);
    assert_eq!((clocks.len(), clocks[0].ahead_ns), (40, 0));
    for clock in &clocks[1..] {
        assert!(
            clock.ahead_ns.unsigned_abs() <= clock.uncertainty_ns && clock.uncertainty_ns > 0,
            "{clock:?}"
        );
    }
}

#[test]
fn ranks_with_a_shared_clock_have_one_offset() {
    let clocks = measure_clocks(6, &[0, 0, 2, 2, 0, 2]);
    assert_eq!([clocks[1], clocks[4]], [clocks[0]; 2]);
    assert_eq!((clocks[0].ahead_ns, clocks[0].uncertainty_ns), (0, 0));
    assert_eq!([clocks[3], clocks[5]], [clocks[2]; 2]);
    assert!(clocks[2].uncertainty_ns > 0);
}

/// Copied machines have the same name, but different clocks.
#[test]
fn rank_with_a_wrong_clock_claim_is_measured() {
    let mut ranks = in_process::group(2);
    let (mut other, mut first) = (ranks.remove(1), ranks.remove(0));
    let hour = 3600 * SECOND;
    let later = thread::spawn(move || {
        let mut answered = 0;
        while answered < 1 + test_limits().pings {
            if let Some((_, bytes)) = other.take().unwrap()
                && let Some(Frame::Ping(number)) = Frame::parse_frame(&bytes)
            {
                let pong = Frame::Pong(number, clock::monotonic() + hour, 0);
                other.post(0, &pong.to_bytes()).unwrap();
                answered += 1;
            }
            thread::yield_now();
        }
    });
    let found = RankLink::new(&mut first, test_limits()).clocks(&[0, 0])[1].unwrap();
    later.join().unwrap();
    assert!(found.ahead_ns.abs_diff(hour as i64) <= found.uncertainty_ns, "{found:?}");
}

#[test]
fn silent_ranks_have_no_clock_after_timeout() {
    let limits = WaitLimits { clock: Duration::from_millis(200), ..test_limits() };
    let mut ranks = in_process::group(4);
    let mut first = ranks.remove(0);
    assert_eq!(RankLink::new(&mut first, limits).clocks(&[])[1..], [None; 3]);
}
