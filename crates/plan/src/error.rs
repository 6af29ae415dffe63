//! Reasons why a profile cannot be carried out on this system.

use diskspd_base::finding::Finding;

#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{}", .finding.message)]
pub struct PlanError {
    pub lies_in: ErrorClass,
    pub finding: Box<Finding>,
}

/// DISKSPD's class of an error, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The profile is not possible on this machine or with this version: exit code 3, without standard
    /// output.
    Profile,
    /// A target is unsuitable for the profile, or a resource is exhausted: the run fails, exit code 1.
    Target,
}

impl PlanError {
    pub fn profile(message: impl Into<String>) -> PlanError {
        PlanError { lies_in: ErrorClass::Profile, finding: Box::new(Finding::error(message)) }
    }

    pub fn target(message: impl Into<String>) -> PlanError {
        PlanError { lies_in: ErrorClass::Target, finding: Box::new(Finding::error(message)) }
    }
}
