//! Numbers as C libraries print them.

/// Whether a text is no number, but what is printed for one: `nan`, `-nan(ind)`, `inf`; and of older
/// libraries `1.#QNAN`, `-1.#IND`.
pub fn is_undefined(text: &str) -> bool {
    let text = text.trim_start_matches('-').to_ascii_lowercase();
    text.starts_with("nan") || text.starts_with("inf") || text.starts_with("1.#")
}
