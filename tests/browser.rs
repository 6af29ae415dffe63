//! The page in a real browser: nothing goes wrong in it, and it asks nobody for anything.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::{directory, diskspd, output, skip};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names of the browser, as distributions have it.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Counts what goes wrong; stands before everything else.
const BEFORE: &str = "<script>const wrong = []; addEventListener('error', (e) => wrong.push(e.message)); \
    addEventListener('securitypolicyviolation', (e) => wrong.push(e.blockedURI)); \
    console.error = console.warn = (...words) => wrong.push(words.join(' '));</script>";

/// Uses every chart by pointer and keyboard, and puts down what came of it.
const AFTER: &str = r#"<script>//<![CDATA[
const charts = [...document.querySelectorAll("figure.chart")];
let told = 0, zoomed = 0;
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
document.body.append(`RESULT charts=${charts.length} told=${told} zoomed=${zoomed} left=${left} wide=${wide} ` +
  `requests=${requests} wrong=[${wrong.join("; ")}] END`);
//]]></script>"#;

/// What the page says of itself after it was used.
fn used(browser: &str, page: &Path, folder: &Path, width: u32) -> String {
    let mut told = String::new();
    // A browser that didn't come up is no fault of the page.
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
        command.arg(format!("--user-data-dir={}", folder.join(format!("{width}-{number}")).display()));
        command.arg(format!("--window-size={width},900")).arg(format!("file://{}", page.display()));
        let ended = output(&mut command).unwrap();
        let dom = String::from_utf8_lossy(&ended.stdout);
        let result = dom.rsplit_once("RESULT ").and_then(|(_, rest)| rest.split_once(" END"));
        if let Some((result, _)) = result {
            return result.to_owned();
        }
        told = String::from_utf8_lossy(&ended.stderr).into_owned();
    }
    panic!("{browser} shows nothing: {told}");
}

/// Has every chart of a page used on a narrow and on a wide screen.
fn all_answer(page: &Path, folder: &Path, expected: &str) {
    let is_there =
        |name: &&&str| output(Command::new(name).arg("--version")).is_ok_and(|ended| ended.status.success());
    let Some(browser) = BROWSERS.iter().find(is_there) else {
        return skip("there is no Chromium to open the page in: apt-get install chromium");
    };
    let text = fs::read_to_string(page).unwrap();
    let text = text.replacen("<title>", &format!("{BEFORE}<title>"), 1).replacen(
        "</body>",
        &format!("{AFTER}</body>"),
        1,
    );
    fs::write(page, text).unwrap();
    for width in [500, 1600] {
        let result = used(browser, page, folder, width);
        assert_eq!(result, expected, "at a width of {width}");
    }
}

#[test]
fn in_a_browser_every_chart_answers_and_nothing_is_requested() {
    let folder = directory();
    let page = folder.path().join("page.html");
    let line = "--engine sim:stall -c1G -b4K -r -w30 -t4 -o8 -Su -L -D -W0 -d60 --out {}";
    diskspd(&format!("{line} {}", folder.path().join("nothing.dat").display()), &page).report();
    all_answer(&page, folder.path(), "charts=7 told=7 zoomed=4 left=0 wide=false requests=0 wrong=[]");
}

#[test]
fn in_a_browser_the_page_of_a_sweep_answers_and_requests_nothing() {
    let folder = directory();
    let page = folder.path().join("page.html");
    let line = "sweep -b512K,1M -o1,2,4 --engine=sim -d1 -W0 -c1G --html {}";
    diskspd(&format!("{line} {}", folder.path().join("nothing.dat").display()), &page).report();
    all_answer(&page, folder.path(), "charts=2 told=2 zoomed=0 left=0 wide=false requests=0 wrong=[]");
}
