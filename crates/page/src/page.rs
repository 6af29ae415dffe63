//! The frame of every page: head, style, script.

use diskspd_base::platform::PRODUCT;
use diskspd_figures::units::visible;
use maud::{Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The beginning of the page. Elements without content are closed, and the page has a namespace, so that
/// it is valid XML too. The content security policy permits only the page's own content, so that names
/// cannot cause requests.
const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head>\
    <meta charset=\"utf-8\"/>\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\"/>\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
    <meta name=\"color-scheme\" content=\"light dark\"/>\
    <meta name=\"referrer\" content=\"no-referrer\"/>\
    <link rel=\"icon\" href=\"data:,\"/>";

const ABOUT_PERCENTILES: &str = "Percentiles of this program's runs are at most 0.1 % off, percentiles over \
                                 time 0.8 %; percentiles of one run are never averaged. This file loads \
                                 nothing from the network.";

pub(crate) fn page(title: &str, content: Markup) -> Markup {
    html! {
        (PreEscaped(HEAD))
        title { (visible::line(title)) }
        style { (PreEscaped(STYLE)) }
        (PreEscaped("</head>"))
        body {
            main { (content) }
            footer {
                p { "Made by " (PRODUCT) " " (env!("CARGO_PKG_VERSION")) ". " (ABOUT_PERCENTILES) }
            }
            // In XML a script is text like any other, in HTML it isn't.
            script { (PreEscaped("//<![CDATA[\n")) (PreEscaped(SCRIPT)) (PreEscaped("//]]>\n")) }
        }
        (PreEscaped("</html>\n"))
    }
}

/// Renders a heading; level 1 is the title of the page.
pub(crate) fn heading(level: u8, text: &str) -> Markup {
    html! {
        @match level {
            0..=2 => h2 { (text) },
            3 => h3 { (text) },
            _ => h4 { (text) },
        }
    }
}

pub(crate) fn command(text: &str) -> Markup {
    html! { div.command { pre { code { (options(&visible::lines(text))) } } } }
}

pub(crate) fn options(text: &str) -> Markup {
    html! {
        @for (place, word) in text.split(' ').enumerate() {
            @if place > 0 { " " }
            @if word.trim_start_matches('(').starts_with('-') && word.len() < 40 { span.whole { (word) } }
            @else { (word) }
        }
    }
}
