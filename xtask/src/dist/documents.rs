//! The documentation in packages: the README, all pages of `docs`, and all linked files, in the same
//! folder structure, so that every link is valid.

use crate::harness::Failure;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

const FIRST: [&str; 3] = ["README.md", "docs/README.md", "CHANGELOG.md"];

/// Copies them into a folder. Returns the copied files, relative to `root`.
///
/// # Errors
/// Fails if a link is broken or leads out of `root`, or a file cannot be copied.
pub fn copy(root: &Path, folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let documents = reached(root)?;
    for document in &documents {
        let place = folder.join(document);
        fs::create_dir_all(place.parent().unwrap_or(folder))?;
        fs::copy(root.join(document), place)?;
    }
    Ok(documents)
}

fn reached(root: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<PathBuf> = FIRST.iter().map(PathBuf::from).collect();
    while let Some(document) = next.pop() {
        if !reached.insert(document.clone()) || document.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(root.join(&document))
            .map_err(|error| format!("{}: {error}", document.display()))?;
        for link in links(&text) {
            let place = plain(&document.with_file_name(""), Path::new(link))
                .filter(|place| root.join(place).is_file())
                .ok_or_else(|| format!("{}: the link {link} leads to no file", document.display()))?;
            next.push(place);
        }
    }
    Ok(reached)
}

fn links(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '\n', '#']).next());
    links.filter(|link| !link.is_empty() && !link.contains(':'))
}

/// Returns a path within the root, without `..`; `None` = outside.
fn plain(folder: &Path, link: &Path) -> Option<PathBuf> {
    let mut place = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            Component::Normal(name) => place.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop().then_some(())?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the documents of this project as they are shipped.
    #[test]
    fn links_of_shipped_documents_have_targets() {
        let (root, folder) =
            (Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(), tempfile::tempdir().unwrap());
        let copied = copy(root, folder.path()).unwrap();
        let mut seen = 0;
        for page in copied.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
            let page = folder.path().join(page);
            for link in links(&fs::read_to_string(&page).unwrap()) {
                assert!(page.with_file_name(link).is_file(), "{}: {link}", page.display());
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
        // Every page of the documentation is among them.
        for name in [
            "docs/reference/privileges.md",
            "docs/how-to/vm-fleet.md",
            "docs/design/store.md",
            "docs/page.png",
        ] {
            assert!(copied.contains(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn dead_link_is_reported() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs")).unwrap();
        for (readme, said) in [
            ("[a](gone.md)", "README.md: the link gone.md leads to no file"),
            ("[a](../out.md)", "README.md: the link ../out.md leads to no file"),
            ("[a](/etc/passwd)", "README.md: the link /etc/passwd leads to no file"),
        ] {
            fs::write(root.path().join("README.md"), readme).unwrap();
            for page in ["docs/README.md", "CHANGELOG.md"] {
                fs::write(root.path().join(page), "").unwrap();
            }
            assert_eq!(reached(root.path()).unwrap_err().to_string(), said);
        }
        fs::write(root.path().join("README.md"), "[a](docs/x.txt#b) [c](#c) [d](https://e.f/g)").unwrap();
        fs::write(root.path().join("docs/x.txt"), "[not a page](y)").unwrap();
        assert_eq!(reached(root.path()).unwrap().len(), 4);
    }
}
