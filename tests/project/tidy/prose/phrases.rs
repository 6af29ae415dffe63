//! Phrases that hide the noun, the actor or the verb, each with its replacement.

use super::pieces::Class;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A construction and its replacement.
///
/// A phrase is a list of words. A word has alternatives (`is|are`). `*` matches any word, `<` the start of a sentence, `>`
/// its end or a punctuation mark. `!a|b` excludes words next to the match.
pub struct Phrase {
    /// Affected classes of text; all if empty.
    pub classes: &'static [Class],
    pub phrases: &'static [&'static str],
    pub hint: &'static str,
}

enum Slot {
    Words(Vec<&'static str>),
    Any,
    Start,
    End,
    Not(Vec<&'static str>),
}

impl Slot {
    fn parse(text: &'static str) -> Slot {
        match text {
            "*" => Slot::Any,
            "<" => Slot::Start,
            ">" => Slot::End,
            text => match text.strip_prefix('!') {
                Some(forbidden) => Slot::Not(forbidden.split('|').collect()),
                None => Slot::Words(text.split('|').collect()),
            },
        }
    }
}

struct Parsed {
    phrase: &'static Phrase,
    slots: Vec<Slot>,
}

/// Parsed phrases, by first word.
pub struct Index {
    parsed: Vec<Parsed>,
    by_first_word: HashMap<&'static str, Vec<usize>>,
}

pub static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { parsed: Vec::new(), by_first_word: HashMap::new() };
    for phrase in PHRASES {
        for text in phrase.phrases {
            let slots: Vec<Slot> = text.split(' ').map(Slot::parse).collect();
            let first =
                slots.iter().find_map(|slot| if let Slot::Words(words) = slot { Some(words) } else { None });
            for word in first.into_iter().flatten() {
                index.by_first_word.entry(*word).or_default().push(index.parsed.len());
            }
            index.parsed.push(Parsed { phrase, slots });
        }
    }
    index
});

impl Index {
    /// Returns the first phrase that matches at a word, and its number of words.
    pub fn match_at(&self, class: Class, words: &[String], at: usize) -> Option<(&'static Phrase, usize)> {
        self.by_first_word.get(words[at].as_str())?.iter().find_map(|index| {
            let Parsed { phrase, slots } = &self.parsed[*index];
            let applies = phrase.classes.is_empty() || phrase.classes.contains(&class);
            Some((*phrase, match_words(slots, words, at).filter(|_| applies)?))
        })
    }
}

fn is_mark(word: &str) -> bool {
    word.len() == 1 && ",.;:()".contains(word)
}

fn match_words(slots: &[Slot], words: &[String], start: usize) -> Option<usize> {
    let mut at = start;
    for (index, slot) in slots.iter().enumerate() {
        let word = words.get(at).map(String::as_str);
        let previous = start.checked_sub(1).map(|at| words[at].as_str());
        let matches = match slot {
            Slot::Not(forbidden) => {
                let neighbour = if index == 0 { previous } else { word };
                neighbour.is_none_or(|word| !forbidden.contains(&word))
            }
            Slot::Start => previous.is_none_or(|word| word == ":" || word == ";"),
            Slot::End => word.is_none_or(is_mark),
            Slot::Any => word.is_some_and(|word| !is_mark(word)),
            Slot::Words(alternatives) => word.is_some_and(|word| alternatives.contains(&word)),
        };
        if !matches {
            return None;
        }
        at += usize::from(matches!(slot, Slot::Any | Slot::Words(_)));
    }
    Some(at - start)
}

/// Classes with whole sentences, without messages and names.
const SENTENCES: &[Class] = &[Class::Docs, Class::Changelog, Class::Comment];

const PRINTED: &[Class] = &[Class::Message, Class::Help];

pub const PHRASES: &[Phrase] = &[
    Phrase {
        classes: &[],
        phrases: &[
            "is|are|was|were|be|been|being|isn't|aren't|and|then|also|not told",
            "told as|with|that|by|in",
            "tell|tells|telling !apart|you|us|me|your|users",
        ],
        hint: "report, warn, print, show: name who does it",
    },
    Phrase {
        classes: &[],
        phrases: &["is|are|was|were|be|been|isn't|aren't said", "said of|with|in|where|as"],
        hint: "print, read, state; or drop it",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "kernel|device|drive|disk|system|server|storage|record|driver|hardware|windows|linux|program|controller \
             say|says|said|ask|asks|asked|answer|answers|answered|know|knows|speak|speaks",
        ],
        hint: "return, report, support, reject, respond: machines do not talk",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "is|are|was|were|be|been|isn't|aren't asked",
            "asked for|of|before|about|whether",
            "ask|asks the kernel|device|drive|machine|server|system",
        ],
        hint: "request, configure, query",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "!know|knows|see|sees|show|shows|explain|explains|describe|describes|decide|decides|determine|determines|\
             understand|controls|exactly what is|was|are|were|has|had|have|it|its|they|their|a|an|the|each|every|any|can|can't|\
             could|may|must|does|did|this|that|these|those|of|comes|came|stands|lies|only|one|nobody|goes|went|follows|remains|\
             make|makes|run|runs|take|takes|others|follow|lists|such|all|both|several|no|nothing|will|would|stays|needs|differs|\
             counts|limits|keeps|belongs|became|becomes",
        ],
        hint: "use a noun: the request, the requirements, the result",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "who uses|has|holds|asks|ask|reads|read|writes|write|gets|looks|wants|knows|waits|runs|ends|needs",
            "for|of|by|to|with|from whom",
        ],
        hint: "use a noun: users, owner, caller",
    },
    Phrase {
        classes: &[],
        phrases: &["whatever|whichever|whoever|wherever !you"],
        hint: "any, regardless of",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "those of|that|which|who|with|without|in|on|from|whose|at|above|below|before|after",
            "as|than|is|are|was|were|with|by|for|from|and|or|in|on|of|to|but|not that of",
            "the other|next|same|latter|former|smaller|larger one|ones >",
            "the one|ones that|which|who|of|with",
        ],
        hint: "repeat the noun",
    },
    Phrase {
        classes: &[],
        phrases: &["of|for its|their|our own", "by itself|themselves"],
        hint: "separate, automatically, alone",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "!there|here|where is|are|was|were|be|become|becomes|makes no \
             !longer|more|less|fewer|better|worse|different|larger|smaller|greater|higher|lower|shorter|later|earlier|faster|slower|\
             other|way|need|such|one|point|guarantee|doubt|matter|problem|good|use|help",
            "is|are|was|were|be|has|have|had|gets|get|needs|need|makes|holds|knows none",
        ],
        hint: "negate the verb: is not a, does not have",
    },
    Phrase {
        classes: &[],
        phrases: &["nobody|somebody|anybody|everybody"],
        hint: "name the actor: no process, another user; unknown",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "nothing|anything|all|none|everything but !the|one|two|a",
            "but for the|what|where|those|that",
        ],
        hint: "only, except",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "can't|cannot|couldn't|can|may|never be told|had|known|seen|said",
            "can't tell",
            "isn't|aren't|wasn't|not known",
        ],
        hint: "unknown, unclear, not available, cannot be determined",
    },
    Phrase { classes: &[], phrases: &["beneath"], hint: "under, below, underlying" },
    Phrase {
        classes: &[],
        phrases: &["behind it|them|that|the|a|an|each|every|which|what|all|its|this|these|those|zq !scenes"],
        hint: "after, following",
    },
    Phrase { classes: &[], phrases: &["beside|besides"], hint: "next to, in addition to, with" },
    Phrase { classes: &[], phrases: &["meanwhile"], hint: "during the run, in the meantime" },
    Phrase { classes: &[], phrases: &["anew"], hint: "again, re-create, recompute" },
    Phrase {
        classes: &[],
        phrases: &[
            "stand|stands|stood|lie|lies|lay in|on|at|below|above|behind|before|after|between|under|within|with|there|by|where|here",
        ],
        hint: "is, is listed, is printed",
    },
    Phrase { classes: &[], phrases: &["goes|went|go|going on !to"], hint: "continues" },
    Phrase {
        classes: &[],
        phrases: &["become|becomes|came|come|comes of", "comes|came|come to a|an|the|what|nothing"],
        hint: "result, amounts to",
    },
    Phrase {
        classes: &[],
        phrases: &["is|are|was|were|be|been looked at|for|into|up", "looks|looked|look|looking at|whether"],
        hint: "inspect, check, read",
    },
    Phrase {
        classes: &[],
        phrases: &["in turn", "one after the|another", "once each", "upon each"],
        hint: "alternately, sequentially",
    },
    Phrase {
        classes: &[],
        phrases: &["as far as", "as it|they is|are|was|were >"],
        hint: "where, if; unchanged",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "is|are|was|were to be|have|do|go|hold|take|run|get|come|tell|say|keep|make|start|end",
            "has|have|had to be",
        ],
        hint: "must, should, will",
    },
    Phrase {
        classes: &[],
        phrases: &["so many|few|little !that", "as many of|as"],
        hint: "n, that number of",
    },
    Phrase {
        classes: &[],
        phrases: &[
            "heed|heeds|heeded|surely|nevertheless|thereby|likewise|upon|hence|alike|whence|afresh",
            "without a word",
            "in sum",
        ],
        hint: "the plain word: similar, certainly, in total",
    },
    Phrase {
        classes: SENTENCES,
        phrases: &[
            "< of the|a|an|each|all|what|two|several|it|them|those|which|one|these|every",
            "< that a|an|the|what|each|every|it|no * is|are|was|were|has|did|does|can",
            "< whose|beneath|behind",
            "< so is|are|was|were|do|does",
            "< not for|where|in|by|one|on|of|every",
        ],
        hint: "start with the subject",
    },
    Phrase {
        classes: PRINTED,
        phrases: &[
            "can't|isn't|doesn't|don't|aren't|wasn't|won't|couldn't|didn't|hasn't|haven't|weren't|shouldn't|wouldn't",
        ],
        hint: "cannot, is not, does not",
    },
];
