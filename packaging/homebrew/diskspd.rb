# A formula for Homebrew on Linux. The hash is that of the release's source archive: brew fetch --build-from-source says it.
class Diskspd < Formula
  desc "Storage load generator that says whether its figures can be believed"
  homepage "https://diskspd.invalid/diskspd-for-linux"
  url "https://diskspd.invalid/diskspd-for-linux/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://diskspd.invalid/diskspd-for-linux.git", branch: "main"

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"diskspd", "completions", shells: [:bash, :zsh, :fish])
    (man1/"diskspd.1").write Utils.safe_popen_read(bin/"diskspd", "man")
    doc.install "README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs"
  end

  test do
    report = shell_output("#{bin}/diskspd --engine sim -c1M -b4K -r -L -W0 -d1 --quiet #{testpath}/test.dat")
    assert_match "Total IO", report
  end
end
