//! The platform: hardware, a virtual machine, a cloud, or a container. The firmware strings are the same
//! on every system.

use diskspd_machine::environment::Platform;

/// Names of the firmware strings, from `/sys/class/dmi/id`.
pub(crate) const FIRMWARE: [&str; 4] = ["sys_vendor", "product_name", "chassis_asset_tag", "bios_version"];

#[derive(Debug, Default)]
pub(crate) struct OwnAccount {
    pub firmware: [String; 4],
    pub hypervisor: Option<String>,
    /// Whether the CPU reports a virtual machine; `None` = unknown.
    pub virtual_machine: Option<bool>,
    pub container: bool,
}

/// (file, contained lower-case text, cloud). The first match counts.
const CLOUDS: [(&str, &str, &str); 19] = [
    ("sys_vendor", "amazon ec2", "Amazon EC2"),
    ("bios_version", "amazon", "Amazon EC2"),
    ("product_name", "google compute engine", "Google Cloud"),
    ("chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "Microsoft Azure"),
    ("sys_vendor", "alibaba cloud", "Alibaba Cloud"),
    ("chassis_asset_tag", "oraclecloud.com", "Oracle Cloud"),
    ("sys_vendor", "digitalocean", "DigitalOcean"),
    ("sys_vendor", "hetzner", "Hetzner"),
    ("sys_vendor", "tencent cloud", "Tencent Cloud"),
    ("sys_vendor", "huawei cloud", "Huawei Cloud"),
    ("chassis_asset_tag", "huaweicloud", "Huawei Cloud"),
    ("sys_vendor", "scaleway", "Scaleway"),
    ("sys_vendor", "vultr", "Vultr"),
    ("sys_vendor", "linode", "Akamai (Linode)"),
    ("sys_vendor", "akamai", "Akamai (Linode)"),
    ("sys_vendor", "upcloud", "UpCloud"),
    ("sys_vendor", "exoscale", "Exoscale"),
    ("sys_vendor", "openstack", "OpenStack"),
    ("product_name", "openstack", "OpenStack"),
];

const HYPERVISORS: [(&str, &str, &str); 12] = [
    ("sys_vendor", "vmware", "vmware"),
    ("product_name", "virtualbox", "virtualbox"),
    ("product_name", "parallels", "parallels"),
    ("product_name", "kvm", "kvm"),
    ("sys_vendor", "qemu", "kvm"),
    ("product_name", "bochs", "kvm"),
    ("product_name", "hvm domu", "xen"),
    ("sys_vendor", "google", "kvm"),
    ("sys_vendor", "openstack", "kvm"),
    ("sys_vendor", "digitalocean", "kvm"),
    ("sys_vendor", "amazon ec2", "kvm"),
    ("sys_vendor", "alibaba cloud", "kvm"),
];

pub(crate) fn platform(told: OwnAccount) -> Platform {
    let value = |name: &str| {
        let at = FIRMWARE.iter().position(|file| *file == name);
        at.map_or("", |at| told.firmware[at].as_str())
    };
    let known = |name: &str| Some(value(name)).filter(|value| !value.is_empty()).map(str::to_owned);
    let find = |table: &[(&str, &str, &'static str)]| {
        let row = table.iter().find(|(file, part, _)| value(file).to_lowercase().contains(part));
        row.map(|(_, _, name)| (*name).to_owned())
    };
    let cloud = find(&CLOUDS);
    let stated = told.hypervisor.clone().filter(|name| !name.is_empty());
    let hyper_v = (value("sys_vendor") == "Microsoft Corporation"
        && value("product_name") == "Virtual Machine")
        .then(|| "hyper-v".to_owned());
    let hypervisor = stated.or(hyper_v).or_else(|| find(&HYPERVISORS));
    // x86 processors say so themselves; of others only the firmware tells.
    let virtual_machine = told.virtual_machine.unwrap_or_else(|| {
        (hypervisor.is_some() || cloud.is_some()) && !value("product_name").contains("metal")
    });
    Platform {
        vendor: known("sys_vendor"),
        product: known("product_name"),
        virtual_machine,
        hypervisor: hypervisor.filter(|_| virtual_machine),
        cloud,
        container: told.container,
    }
}
