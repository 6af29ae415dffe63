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
