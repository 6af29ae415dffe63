//! `diskspd preset`: the named workloads and their work.

use crate::cli::{self, CliError, Exit, Invocation, PresetRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;
use crate::commands::shared::output::print::print;
use crate::presets;
use crate::report::profile_xml;
use std::ffi::OsString;

/// Prints the list, a preset, or the page of the documentation.
///
/// # Errors
/// Fails if the preset is unknown, or output fails.
pub(crate) fn preset(request: &PresetRequest) -> Result<Exit, CommandError> {
    match request {
        PresetRequest::List => output::print_sentences(&presets::list()),
        PresetRequest::Markdown => print(&presets::markdown()),
        PresetRequest::Show(name) => match presets::find(name) {
            Some(preset) => print(&(presets::show(preset) + &preset_xml(preset.name))),
            None => {
                let error = CliError::new(format!("there is no preset '{name}'"));
                Err(error.hint(format!("the presets are {}", presets::names())).into())
            }
        },
    }
}

fn preset_xml(name: &str) -> String {
    let arguments = ["diskspd", "--preset", name, "*1"].map(OsString::from);
    let mut bytes = b"\n".to_vec();
    if let Ok(Invocation::Run(request)) = cli::parse(&arguments) {
        profile_xml::write_profile(&mut bytes, &request.profile, 0);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
