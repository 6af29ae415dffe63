//! The world of ranks: rounds of the real protocol (`cluster::RankLink`) over a network with delays and
//! interruptions, and ranks that are killed and stopped.

use super::course::RunTotals;
use super::network::{Ended, Network, RankFaults, SimulatedRank};
use crate::harness::{Failure, Random};
use diskspd::clock::{Nanos, SECOND};
use diskspd::ranks::offset::Offset;
use diskspd::ranks::{RankGroup, RankLink, WaitLimits};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

const ROUNDS: u8 = 4;
const CLOCKS_AFTER: u8 = 1;
const LOOK: Duration = Duration::from_millis(50);
const SILENCE: Duration = Duration::from_secs(5);

struct Script {
    faults: Vec<RankFaults>,
    is_sound: bool,
    /// Work of each rank before each answer in ns.
    work: Vec<[Nanos; ROUNDS as usize]>,
    delay: Nanos,
    late: u64,
}

/// The answers of a round by rank, and who was lost then.
type Gathered = (Vec<Option<Vec<u8>>>, Vec<bool>);

#[derive(Default)]
struct Observed {
    decisions: Vec<Vec<u8>>,
    /// On rank 0, by round.
    answers: Vec<Gathered>,
    clocks: Vec<Option<Offset>>,
    answered: usize,
    separated: bool,
    ended: Option<Ended>,
}

impl Script {
    fn draw(random: &mut Random) -> Script {
        let size = 2 + random.number() as usize % 5;
        let is_sound = random.number().is_multiple_of(4);
        let within = |random: &mut Random, longest: Nanos| random.number() % longest;
        let mut faults = vec![RankFaults::NONE; size];
        for (rank, faults) in faults.iter_mut().enumerate() {
            faults.ahead = within(random, 1000 * SECOND);
            if is_sound {
                continue;
            }
            let at = SECOND + within(random, 30 * SECOND);
            match within(random, if rank == 0 { 24 } else { 8 }) {
                0 => faults.killed_at = at,
                1 => faults.stopped = (at, within(random, 12 * SECOND)),
                2 if rank > 0 => faults.cut_at = [at; 2],
                3 if rank > 0 => faults.cut_at[within(random, 2) as usize] = at,
                _ => {}
            }
            faults.is_reported = within(random, 2) == 0;
        }
        let work = faults.iter().map(|_| std::array::from_fn(|_| within(random, 12 * SECOND))).collect();
        // So late that a sign of life and all before it is still no silence, where nothing goes wrong.
        let delay = 1_000_000 + within(random, 19_000_000);
        Script { faults, is_sound, work, delay, late: within(random, 50) }
    }
}

fn figures(rank: usize, round: u8) -> Vec<u8> {
    let length = (rank * 7 + usize::from(round) * 3) % 20;
    [vec![rank as u8, round], vec![0xa5; length]].concat()
}

fn decided(answers: &[Option<Vec<u8>>]) -> Vec<u8> {
    answers.iter().flat_map(|answer| answer.as_ref().map_or(vec![u8::MAX], |answer| answer.clone())).collect()
}

fn work(link: &mut RankLink, network: &Arc<Network>, rank: usize, time: Nanos) -> bool {
    let mut clock = SimulatedRank { rank, network: Arc::clone(network) };
    let until = clock.now() + time;
    while clock.now() < until {
        if link.tend().is_err() {
            return false;
        }
        clock.pause(Duration::from_millis(300));
    }
    true
}

fn coordinate(link: &mut RankLink, network: &Arc<Network>, script: &Script, seen: &mut Observed) {
    for round in 0..ROUNDS {
        work(link, network, 0, script.work[0][usize::from(round)]);
        let answers = link.gather(figures(0, round), |_| ());
        let decision = decided(&answers);
        seen.answers.push((answers, link.lost_ranks().iter().map(Option::is_some).collect()));
        seen.decisions.push(decision.clone());
        if round == CLOCKS_AFTER {
            seen.clocks = link.clocks(&[]);
        }
        link.decide(&decision);
        network.step(0, &format!("decides {decision:?}"));
    }
}

fn follow(link: &mut RankLink, network: &Arc<Network>, script: &Script, seen: &mut Observed) {
    let rank = link.rank();
    for round in 0..ROUNDS {
        if !work(link, network, rank, script.work[rank][usize::from(round)]) {
            seen.separated = true;
            return;
        }
        seen.answered += 1;
        match link.answer(figures(rank, round), |_| ()) {
            Ok(decision) => seen.decisions.push(decision),
            Err(why) => {
                network.step(rank, &why.to_string());
                seen.separated = true;
                return;
            }
        }
    }
}

fn play(rank: usize, network: &Arc<Network>, script: &Script) -> Observed {
    network.begins(rank);
    let mut seen = Observed::default();
    let limits = WaitLimits {
        beat: Duration::from_secs(1),
        silence: SILENCE,
        look: LOOK,
        pings: 8,
        clock: Duration::from_millis(500),
    };
    let course = catch_unwind(AssertUnwindSafe(|| {
        let mut group = SimulatedRank { rank, network: Arc::clone(network) };
        let mut link = RankLink::new(&mut group, limits);
        let part = if rank == 0 { coordinate } else { follow };
        part(&mut link, network, script, &mut seen);
    }));
    if let Err(why) = course {
        // A panic of the program ends as one that hangs does: as a failure.
        seen.ended = Some(why.downcast_ref().copied().unwrap_or(Ended::Hangs));
    }
    network.step(rank, &format!("ends: {:?}", seen.ended));
    network.ends(rank);
    seen
}

/// Plays a seed, and returns the hash of its course.
///
/// # Errors
/// What doesn't hold.
pub fn world(seed: u64, is_shown: bool) -> (u64, Result<(), Failure>) {
    let mut random = Random(seed);
    let script = Script::draw(&mut random);
    let course = RunTotals::new(is_shown);
    let network = Network::new(script.faults.clone(), script.delay, script.late, random, course);
    let seen: Vec<Observed> = std::thread::scope(|scope| {
        let play = |rank| {
            let (network, script) = (&network, &script);
            scope.spawn(move || play(rank, network, script))
        };
        let ranks: Vec<_> = (0..script.faults.len()).map(play).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap_or_default()).collect()
    });
    (network.end().1, judge(&script, &seen))
}

/// Whether all holds that is promised.
fn judge(script: &Script, seen: &[Observed]) -> Result<(), Failure> {
    let must = |holds: bool, what: &dyn Fn() -> String| -> Result<(), Failure> {
        if holds { Ok(()) } else { Err(what().into()) }
    };
    for (rank, of) in seen.iter().enumerate() {
        must(of.ended != Some(Ended::Hangs), &|| format!("rank {rank} hangs"))?;
        let all = of.decisions.len() == usize::from(ROUNDS);
        let excused = of.separated || of.ended.is_some();
        must(all || excused, &|| format!("rank {rank} ends early, and does not know why"))?;
        must(!script.is_sound || all, &|| format!("rank {rank} is alone, and nothing went wrong"))?;
        let same = of.decisions.iter().eq(seen[0].decisions.iter().take(of.decisions.len()));
        must(same, &|| format!("rank {rank} has another decision than rank 0 made"))?;
    }
    for (round, (answers, lost)) in (0..).zip(&seen[0].answers) {
        for (rank, (answer, is_lost)) in answers.iter().zip(lost).enumerate() {
            let what = || format!("round {round}: of rank {rank} there is {answer:?}, lost: {is_lost}");
            must(answer.is_none() == *is_lost, &what)?;
            must(answer.as_ref().is_none_or(|answer| *answer == figures(rank, round)), &what)?;
            must(answer.is_none() || seen[rank].answered > usize::from(round) || rank == 0, &what)?;
        }
    }
    for (rank, offset) in seen[0].clocks.iter().enumerate() {
        let Some(offset) = offset else { continue };
        let truly = script.faults[rank].ahead as i64 - script.faults[0].ahead as i64;
        let is_off = offset.ahead_ns.abs_diff(truly);
        must(is_off <= offset.uncertainty_ns + 1, &|| {
            format!("the clock of rank {rank} is off by {is_off} ns more than {} ns", offset.uncertainty_ns)
        })?;
    }
    Ok(())
}
