//! The supply chain of continuous integration and releases: pinned actions and images, least permissions, verified downloads,
//! tools in fixed versions, and no release without tests.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Rule of a workflow or script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// `uses` names a local workflow, or a commit with its version as a comment.
    PinnedAction,
    /// `image` has a digest.
    PinnedImage,
    /// Checkouts leave no token in the folder.
    NoToken,
    /// The workflow grants nothing; each job states its permissions.
    StatedPermissions,
    /// Only jobs that attest may sign, and only the publishing job may write contents.
    LeastPermissions,
    /// No download runs unseen.
    NoPipeToShell,
    /// A download is verified in the same job.
    VerifiedDownload,
    /// `cargo install` has a version and `--locked`.
    FixedTool,
    /// The workflow that signs is called by others and builds nothing.
    SeparateAttestation,
    /// Publishing needs the jobs that ran `.ci/run` and that attested.
    TestedRelease,
}

use Rule::*;

/// Job of a workflow, with continued lines joined.
struct Job<'a> {
    name: &'a str,
    body: String,
}

impl Job<'_> {
    /// Returns the value of a key of the job, without its brackets.
    fn value(&self, key: &str) -> Option<&str> {
        let line = self
            .body
            .lines()
            .find_map(|line| line.strip_prefix("    ")?.strip_prefix(key)?.strip_prefix(':'))?;
        Some(line.trim().trim_matches(['{', '}', '[', ']']))
    }

    fn has(&self, words: &str) -> bool {
        self.body.contains(words)
    }

    fn attests(&self) -> bool {
        self.has("uses: actions/attest@") || self.has("uses: ./.github/workflows/attest.yml")
    }

    fn publishes(&self) -> bool {
        self.has("gh release create")
    }
}

/// Name and text of a workflow.
type Workflow<'a> = (&'a str, &'a str);

fn head(text: &str) -> &str {
    &text[..=text.find("\njobs:\n").unwrap()]
}

fn jobs(text: &str) -> Vec<Job<'_>> {
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for line in text.split("\njobs:\n").nth(1).unwrap_or_default().lines() {
        let name = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':'));
        match (name.filter(|name| !name.starts_with([' ', '#'])), jobs.last_mut()) {
            (Some(name), _) => jobs.push(Job { name, body: String::new() }),
            (None, Some(job)) => job.body += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    jobs.iter_mut().for_each(|job| job.body = job.body.replace("\\\n", " "));
    jobs
}

/// Returns the violations of all workflows: file and rule.
fn faults(workflows: &[Workflow<'_>]) -> BTreeSet<(String, Rule)> {
    let mut faults = BTreeSet::new();
    for (file, text) in workflows {
        let mut check = |rule, holds: bool| {
            if !holds {
                faults.insert(((*file).to_owned(), rule));
            }
        };
        check(StatedPermissions, head(text).contains("\npermissions: {}\n"));
        let lines: Vec<&str> = text.lines().collect();
        for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
            if let Some((_, action)) = line.split_once("uses: ") {
                check(PinnedAction, is_pinned(action));
                let is_checkout = action.starts_with("actions/checkout@");
                check(NoToken, !is_checkout || next.contains("persist-credentials: false"));
            }
            if let Some((_, image)) = line.split_once("image: ") {
                let digest = image.split_once("@sha256:").map_or("", |(_, digest)| digest);
                check(PinnedImage, digest.trim_matches(['"', '}']).len() == 64);
            }
        }
        let jobs = jobs(text);
        check(StatedPermissions, !jobs.is_empty());
        for job in &jobs {
            check(StatedPermissions, job.value("permissions").is_some());
            check(LeastPermissions, has_least_permissions(job));
            shell_faults(&job.body).into_iter().for_each(|rule| check(rule, false));
            if job.has("uses: actions/attest@") {
                check(SeparateAttestation, is_called_alone(head(text)) && builds_nothing(job));
            }
            if job.publishes() {
                let needed = needs(&jobs, job);
                check(TestedRelease, needed.iter().any(|job| runs_tests(job, workflows)));
                check(TestedRelease, needed.iter().any(|job| job.attests()));
            }
        }
    }
    faults
}

fn is_pinned(action: &str) -> bool {
    let Some((_, pin)) = action.split_once('@') else { return action.starts_with("./") };
    let Some((commit, version)) = pin.split_once(" # v") else { return false };
    let is_commit = commit.len() == 40 && commit.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
    is_commit
        && version.split('.').count() == 3
        && version.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit())
}

fn has_least_permissions(job: &Job<'_>) -> bool {
    let permissions = job.value("permissions").unwrap_or_default().split(',').map(str::trim);
    permissions.filter(|permission| !permission.is_empty()).all(|permission| match permission {
        "contents: read" => true,
        "id-token: write" | "attestations: write" => job.attests(),
        "contents: write" => job.publishes(),
        _ => false,
    })
}

fn is_called_alone(head: &str) -> bool {
    let events = head.split("\non:\n").nth(1).unwrap_or_default().lines();
    let events: Vec<&str> =
        events.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))).collect();
    events == ["workflow_call:"]
}

fn builds_nothing(job: &Job<'_>) -> bool {
    let actions = job.body.lines().filter_map(|line| line.split_once("uses: ")).map(|(_, action)| action);
    let allowed = ["actions/download-artifact@", "actions/attest@"];
    let is_allowed = |action: &str| allowed.iter().any(|name| action.starts_with(name));
    let commands = job.body.lines().filter_map(|line| line.strip_prefix("          "));
    let verifies = |line: &str| line.contains("sha256sum --check");
    let is_command = |line: &&str| !line.contains(": ") && !line.trim().is_empty();
    actions.into_iter().all(is_allowed)
        && commands.filter(is_command).all(verifies)
        && !job.has("run: .")
        && !job.has("run: c")
}

/// Returns the jobs that must end before this one.
fn needs<'a>(jobs: &'a [Job<'a>], job: &Job<'_>) -> Vec<&'a Job<'a>> {
    let names = job.value("needs").unwrap_or_default().split(',').map(str::trim);
    let direct: Vec<&Job<'_>> = names.filter_map(|name| jobs.iter().find(|job| job.name == name)).collect();
    let indirect = direct.iter().flat_map(|job| needs(jobs, job)).collect::<Vec<_>>();
    [direct, indirect].concat()
}

fn runs_tests(job: &Job<'_>, workflows: &[Workflow<'_>]) -> bool {
    let called = |file: &str| job.has(&format!("uses: ./.github/workflows/{file}\n"));
    let has = |job: &Job<'_>| job.body.lines().any(|line| line.trim() == "- run: .ci/run");
    has(job) || workflows.iter().any(|(file, text)| called(file) && jobs(text).iter().any(has))
}

/// Returns the violations of a shell script, or of the scripts of a job.
fn shell_faults(text: &str) -> Vec<Rule> {
    let text = text.replace("\\\n", " ");
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let is_shell = |words: &str| {
        let first = words.split_whitespace().find(|word| *word != "sudo").unwrap_or_default();
        ["sh", "bash", "zsh", "python3", "perl"].contains(&first.rsplit('/').next().unwrap_or_default())
    };
    let mut faults = Vec::new();
    for line in lines {
        let downloads = ["curl ", "wget "].iter().any(|program| line.contains(program));
        let is_piped = line.split('|').skip(1).any(is_shell);
        let is_expanded = ["<(curl", "$(curl", "<(wget", "$(wget"].iter().any(|form| line.contains(form));
        if downloads && (is_piped || is_expanded) {
            faults.push(NoPipeToShell);
        }
        if downloads && !text.contains("sha256sum --check --strict") {
            faults.push(VerifiedDownload);
        }
        if line.contains("cargo install ") && !(line.contains("--locked") && line.contains('@')) {
            faults.push(FixedTool);
        }
    }
    faults
}

fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).collect()
}

fn workflows() -> Vec<(String, String)> {
    let read = |path: PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
    };
    files(".github/workflows").into_iter().map(read).collect()
}

#[test]
fn workflows_keep_all_rules() {
    let workflows = workflows();
    let all: Vec<Workflow<'_>> =
        workflows.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    assert_eq!(faults(&all), BTreeSet::new());
    let publishing = all.iter().flat_map(|(_, text)| jobs(text)).filter(Job::publishes).count();
    let attesting = all.iter().flat_map(|(_, text)| jobs(text)).filter(Job::attests).count();
    assert_eq!((publishing, attesting), (1, 2), "one job publishes; one calls the job that attests");
}

#[test]
fn scripts_keep_the_rules_of_downloads() {
    for path in [".ci", ".ci/checks", "packaging"].into_iter().flat_map(files) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let is_script = text.starts_with("#!") || path.ends_with("environment");
        assert!(
            !is_script || shell_faults(&text).is_empty(),
            "{}: {:?}",
            path.display(),
            shell_faults(&text)
        );
        let passes = text.lines().any(|line| line.contains("SKIPPED"));
        assert!(!is_script || !passes, "{}: a check fails if it cannot run", path.display());
    }
}

#[test]
fn example_workflows_pin_action_versions() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/how-to/github-storage.yml"))
            .unwrap();
    let actions: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("uses: ")?.1)).collect();
    assert!(!actions.is_empty() && actions.iter().all(|action| is_pinned(action)), "{actions:?}");
}

/// Each change to a workflow breaks one rule.
#[test]
fn changed_workflows_break_their_rules() {
    let workflows = workflows();
    let checkout = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
    let (release, attest, tests) = ("release.yml", "attest.yml", "tests.yml");
    for (file, from, to, rule) in [
        (release, checkout, "actions/checkout@v7", PinnedAction),
        (release, checkout, "actions/checkout@3d3c42e5 # v7.0.1", PinnedAction),
        (release, checkout, "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", PinnedAction),
        (release, checkout, "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # main", PinnedAction),
        (tests, checkout, "actions/checkout@main # v7.0.1", PinnedAction),
        (
            release,
            "@sha256:9f355ae942d6a6c0561f0771dc053a2cfae9580fc45fa4252756db7c7e80c09f",
            "",
            PinnedImage,
        ),
        (tests, "@sha256:6258907a", "@sha256:", PinnedImage),
        (tests, "        with: {persist-credentials: false}\n", "", NoToken),
        (release, "\npermissions: {}\n", "\npermissions: write-all\n", StatedPermissions),
        (release, "\npermissions: {}\n", "\n", StatedPermissions),
        (release, "  build:\n    permissions: {contents: read}\n", "  build:\n", StatedPermissions),
        (
            release,
            "  build:\n    permissions: {contents: read}",
            "  build:\n    permissions: {contents: read, id-token: write}",
            LeastPermissions,
        ),
        (
            release,
            "  collect:\n    needs: [build, glibc, windows]\n    permissions: {}",
            "  collect:\n    permissions: {contents: write}",
            LeastPermissions,
        ),
        (
            release,
            "    permissions: {contents: write}",
            "    permissions: {contents: write, attestations: write}",
            LeastPermissions,
        ),
        (tests, "    permissions: {contents: read}", "    permissions: {packages: write}", LeastPermissions),
        (
            release,
            "- run: cargo xtask dist --windows",
            "- run: curl https://sh.rustup.rs | sh -s -- -y",
            NoPipeToShell,
        ),
        (
            release,
            "- run: cargo xtask dist --windows",
            "- run: curl -sSf https://x.invalid \\\n          | sudo bash",
            NoPipeToShell,
        ),
        (
            release,
            "- run: cargo xtask dist --windows",
            "- run: bash <(wget -qO- https://x.invalid)",
            NoPipeToShell,
        ),
        (
            release,
            "          echo \"${{ matrix.rustup }}  /tmp/rustup-init\" | sha256sum --check --strict\n",
            "",
            VerifiedDownload,
        ),
        (release, ".ci/install cargo-auditable\n", "cargo install --locked cargo-auditable\n", FixedTool),
        (release, ".ci/install cargo-auditable\n", "cargo install cargo-auditable@0.7.7\n", FixedTool),
        (attest, "  workflow_call:\n", "  push:\n  workflow_call:\n", SeparateAttestation),
        (
            attest,
            "      - name: The files",
            "      - run: cargo build\n      - name: The files",
            SeparateAttestation,
        ),
        (
            attest,
            "          sha256sum --check --strict SHA256SUMS\n",
            "          make made/diskspd\n",
            SeparateAttestation,
        ),
        (
            attest,
            "    steps:\n",
            "    steps:\n      - uses: actions/cache@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n",
            SeparateAttestation,
        ),
        (
            release,
            "needs: [tests, advisories, reproducible, collect, attest]",
            "needs: [collect]",
            TestedRelease,
        ),
        (
            release,
            "needs: [tests, advisories, reproducible, collect, attest]",
            "needs: [tests, collect]",
            TestedRelease,
        ),
        (tests, "      - run: .ci/run\n", "      - run: cargo test\n", TestedRelease),
    ] {
        let changed: Vec<(&str, String)> = workflows
            .iter()
            .map(|(name, text)| {
                (name.as_str(), if name == file { text.replacen(from, to, 1) } else { text.clone() })
            })
            .collect();
        let was = &workflows.iter().find(|(name, _)| name == file).unwrap().1;
        assert!(was.contains(from), "{file}: {from}");
        let changed: Vec<Workflow<'_>> = changed.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let found: BTreeSet<Rule> = faults(&changed).into_iter().map(|(_, rule)| rule).collect();
        assert!(found.contains(&rule), "{file}: {from} -> {to}: {found:?} instead of {rule:?}");
    }
}
