//! Texts kept in files: pages of docs from the program's tables, help, and other texts for people.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the path of a project file, which is relative to the project's root.
pub fn place(file: &str) -> PathBuf {
    root().join(file)
}

pub fn is_kept(file: &str, text: &str) {
    // It writes a file that is there, and nothing where there is none.
    if std::env::var_os("UPDATE_EXPECT").is_some() && !place(file).exists() {
        fs::create_dir_all(place(file).parent().unwrap()).unwrap();
        fs::write(place(file), "").unwrap();
    }
    expect_test::expect_file![place(file)].assert_eq(text);
}

pub fn is_kept_between(file: &str, mark: &str, text: &str) {
    let page = fs::read_to_string(place(file)).unwrap();
    let (head, rest) = page.split_once(&format!("<!-- {mark} -->\n")).unwrap();
    let (_, tail) = rest.split_once(&format!("<!-- /{mark} -->")).unwrap();
    is_kept(file, &format!("{head}<!-- {mark} -->\n{text}\n<!-- /{mark} -->{tail}"));
}
