//! Properties of an NVMe namespace with direct commands, which bypass the block layer.

use diskspd_base::message_error::MessageError;

/// Namespace, by its character device (`/dev/ng0n1`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NvmeFacts {
    pub block_size: u32,
    /// Bytes of metadata per block, for protection information or user data; 0 = none.
    pub metadata: u16,
    /// Type of the protection information (1 to 3), if it is the only metadata. The controller then
    /// generates and checks it. `None` otherwise.
    pub protected: Option<u8>,
    /// Placement identifiers of its handles in the device's order (`--fdp`), or the reason for their
    /// absence; `None` if not queried.
    pub placement: Option<Result<Vec<u16>, MessageError>>,
    /// Whether its zones can only be written at their write pointers.
    pub zoned: bool,
    /// Whether the controller supports deallocation by Dataset Management.
    pub deallocates: bool,
    pub writes_zeroes: bool,
    /// Maximum bytes of a command; `None` = unknown.
    pub largest_io: Option<u64>,
    /// Kernel name of the block device of the same namespace, if any.
    pub block_device: Option<String>,
}
