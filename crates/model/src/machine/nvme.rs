//! What an NVMe namespace is that commands are sent to past the block layer.

/// A namespace, by its character device (`/dev/ng0n1`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NvmeFacts {
    /// Bytes of a logical block.
    pub block_size: u32,
    /// Bytes of metadata with each block: protection information, or what is the user's; 0 = none.
    pub metadata: u16,
    /// The type of the protection information (1 to 3) where that is all of the metadata, so that the
    /// controller makes and checks it by itself; `None` = there is none, or more than that.
    pub protected: Option<u8>,
    /// The placement identifiers of its placement handles, in the device's order (`--fdp`), or why it has
    /// none; `None` = nobody asked.
    pub placement: Option<Result<Vec<u16>, NoPlacement>>,
    /// Only the write pointers of its zones can be written at.
    pub zoned: bool,
    /// The controller has Dataset Management, which deallocates.
    pub deallocates: bool,
    /// The controller has Write Zeroes.
    pub writes_zeroes: bool,
    /// Most bytes of one command; `None` = not known.
    pub largest_io: Option<u64>,
    /// The kernel's name of the block device that is the same namespace; `None` = there is none.
    pub block_device: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlacement {
    #[error("it doesn't answer: {0}")]
    NotAsked(String),
    /// The controller has no flexible data placement.
    #[error("its controller doesn't support flexible data placement (CTRATT, bit 19)")]
    Controller,
    /// It is off in the endurance group of this number.
    #[error(
        "flexible data placement is off in its endurance group {0}; a group without namespaces can turn it \
         on (nvme set-feature -f 0x1d)"
    )]
    Off(u16),
    #[error("it doesn't report its placement handles: {0}")]
    NotTold(String),
}
