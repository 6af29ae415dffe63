//! Tests of the page in a real browser: no errors, and no requests.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::{directory, diskspd, output, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of the browser in distributions.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const BEFORE: &str = "<script>const wrong = []; addEventListener('error', (e) => wrong.push(e.message)); \
    addEventListener('securitypolicyviolation', (e) => wrong.push(e.blockedURI)); \
    console.error = console.warn = (...words) => wrong.push(words.join(' '));</script>";

const AFTER: &str = r#"<script>//<![CDATA[
const charts = [...document.querySelectorAll("figure.chart")];
let told = 0, zoomed = 0, outside = 0, crossed = 0;
for (const figure of charts) {
  const box = (element) => element.getBoundingClientRect(), card = box(figure);
  const texts = [...figure.querySelectorAll(".plot > svg text")].map(box).filter((text) => text.width > 0);
  outside += texts.filter((text) => text.left < card.left || text.right > card.right).length;
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  crossed += texts.filter((text, at) => texts.slice(at + 1).some((other) => meet(text, other))).length;
}
for (const figure of charts) {
  const svg = figure.querySelector(".plot > svg"), box = svg.getBoundingClientRect();
  const at = (share) => ({ clientX: box.left + share * box.width, clientY: box.top + 5, bubbles: true });
  svg.dispatchEvent(new PointerEvent("pointermove", at(0.5)));
  told += !figure.querySelector(".tip").hidden && figure.querySelector(".tip").textContent.length > 3;
  svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  svg.dispatchEvent(new PointerEvent("pointerdown", at(0.2)));
  svg.dispatchEvent(new PointerEvent("pointermove", at(0.6)));
  dispatchEvent(new PointerEvent("pointerup", at(0.6)));
  zoomed += figure.classList.contains("zoomed");
  svg.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
}
const left = document.querySelectorAll(".zoomed").length, wide = document.documentElement.scrollWidth > innerWidth;
const requests = performance.getEntriesByType("resource").length;
parent.postMessage(`charts=${charts.length} told=${told} zoomed=${zoomed} left=${left} wide=${wide} outside=${outside} crossed=${crossed} ` +
  `requests=${requests} wrong=[${wrong.join("; ")}]`, "*");
//]]></script>"#;

const FRAMES: &str = r#"<!DOCTYPE html><body><script>
addEventListener("message", (event) => {
  const frame = [...document.querySelectorAll("iframe")].find((one) => one.contentWindow === event.source);
  document.body.append(["RESULT", frame.name + ":", event.data, "END"].join(" "));
});
</script>"#;

/// Widths of a phone and of a large screen, px.
const WIDTHS: [u32; 2] = [360, 1600];

struct Shown {
    name: &'static str,
    page: PathBuf,
    expected: &'static str,
}

fn used(browser: &str, pages: &[Shown], folder: &Path) -> Vec<String> {
    let frame = |name: &str, page: &Path, width: u32| {
        let style = format!("border:0;width:{width}px;height:900px");
        format!("<iframe name=\"{name} at {width}\" style=\"{style}\" src=\"{}\"></iframe>\n", page.display())
    };
    let frames = pages.iter().flat_map(|one| WIDTHS.map(|width| frame(one.name, &one.page, width)));
    let all = folder.join("frames.html");
    fs::write(&all, FRAMES.to_owned() + &frames.collect::<String>()).unwrap();
    let mut told = String::new();
    // A browser that didn't come up is no fault of the pages.
    for number in 0..3 {
        let mut command = Command::new(browser);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]);
        command.args(["--disable-background-networking", "--disable-component-update", "--dump-dom"]);
        command.arg(format!("--user-data-dir={}", folder.join(format!("browser-{number}")).display()));
        command.arg("--window-size=1700,900").arg(format!("file://{}", all.display()));
        let ended = output(&mut command).unwrap();
        let dom = String::from_utf8_lossy(&ended.stdout);
        let results = dom.split("RESULT ").skip(1).filter_map(|rest| rest.split_once(" END"));
        let mut results: Vec<String> = results.map(|(result, _)| result.to_owned()).collect();
        if results.len() == pages.len() * WIDTHS.len() {
            results.sort();
            return results;
        }
        told = format!("{results:?} {}", String::from_utf8_lossy(&ended.stderr));
    }
    panic!("{browser} does not show all pages: {told}");
}

/// Uses each chart of each page on a narrow and on a wide screen.
fn all_answer(pages: &[Shown], folder: &Path) {
    let is_there =
        |name: &&&str| output(Command::new(name).arg("--version")).is_ok_and(|ended| ended.status.success());
    let Some(browser) = BROWSERS.iter().find(is_there) else {
        return skip("there is no Chromium to open the pages in: apt-get install chromium");
    };
    for one in pages {
        let text = fs::read_to_string(&one.page).unwrap();
        let text = text.replacen("<title>", &format!("{BEFORE}<title>"), 1).replacen(
            "</body>",
            &format!("{AFTER}</body>"),
            1,
        );
        fs::write(&one.page, text).unwrap();
    }
    let of_page = |one: &Shown| WIDTHS.map(|width| format!("{} at {width}: {}", one.name, one.expected));
    let mut expected: Vec<String> = pages.iter().flat_map(of_page).collect();
    expected.sort();
    assert_eq!(used(browser, pages, folder), expected);
}

#[test]
fn charts_respond_in_a_browser_without_requests() {
    let folder = directory();
    let path = |name: &str| folder.path().join(name);
    let (target, store) = (path("nothing.dat"), path("store"));
    let line = |line: &str, page: &str| {
        let options = "-b4K -r -w30 -L --engine=sim -W0 -d1 -c1G --save --store STORE";
        let line = line.replace("OPTIONS", options).replace("TARGET", target.to_str().unwrap());
        let line = line.replace("STORE", store.to_str().unwrap());
        diskspd(&line, &path(page)).report();
        path(page)
    };
    let pages = [
        Shown {
            name: "run",
            page: line(
                "--engine sim:stall -c1G -b4K -r -w30 -t4 -o1 -Su -L -D -W0 -d20 --out {} TARGET",
                "run.html",
            ),
            expected: "charts=6 told=6 zoomed=4 left=0 wide=false outside=0 crossed=0 requests=0 wrong=[]",
        },
        Shown {
            name: "sweep",
            page: line("sweep -b512K,1M -o1,2,4 --engine=sim -d1 -W0 -c1G --html {} TARGET", "sweep.html"),
            expected: "charts=6 told=6 zoomed=0 left=0 wide=false outside=0 crossed=0 requests=0 wrong=[]",
        },
        Shown {
            name: "comparison",
            // Changes; single runs of what is compared; distributions of all, reads and writes.
            page: line(
                "compare --html {} --repeat 4 -- -o4 OPTIONS :: -o8 OPTIONS TARGET",
                "comparison.html",
            ),
            expected: "charts=10 told=10 zoomed=0 left=0 wide=false outside=0 crossed=0 requests=0 wrong=[]",
        },
        Shown {
            name: "history",
            page: line("history --html {} --store STORE", "history.html"),
            // Three figures of two kinds of work.
            expected: "charts=6 told=6 zoomed=0 left=0 wide=false outside=0 crossed=0 requests=0 wrong=[]",
        },
    ];
    all_answer(&pages, folder.path());
}
