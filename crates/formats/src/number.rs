//! Numbers as C libraries print them.

/// Whether a text is a non-finite number: `nan`, `-nan(ind)`, `inf`; in older libraries `1.#QNAN`,
/// `-1.#IND`.
pub(crate) fn is_undefined(text: &str) -> bool {
    let text = text.trim_start_matches('-').to_ascii_lowercase();
    text.starts_with("nan") || text.starts_with("inf") || text.starts_with("1.#")
}
