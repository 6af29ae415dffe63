# An expression for nixpkgs (pkgs/by-name/di/diskspd/package.nix). The hash of the sources is what nix says that it is:
# nix-build -E 'with import <nixpkgs> {}; callPackage ./package.nix {}'
{
  lib,
  stdenv,
  rustPlatform,
  fetchzip,
  installShellFiles,
}:

rustPlatform.buildRustPackage (finalAttrs: {
  pname = "diskspd";
  version = "0.1.0";

  src = fetchzip {
    url = "https://diskspd.invalid/diskspd-for-linux/archive/refs/tags/v${finalAttrs.version}.tar.gz";
    hash = lib.fakeHash;
  };

  # No hash of their own: all dependencies are in the lock with theirs.
  cargoLock.lockFile = finalAttrs.src + "/Cargo.lock";
  cargoBuildFlags = [ "--bin" "diskspd" ];

  nativeBuildInputs = [ installShellFiles ];

  # Most tests take devices, root and time; the program tries itself instead.
  doCheck = false;

  postInstall = lib.optionalString (stdenv.buildPlatform.canExecute stdenv.hostPlatform) ''
    $out/bin/diskspd man > diskspd.1
    installManPage diskspd.1
    installShellCompletion --cmd diskspd \
      --bash <($out/bin/diskspd completions bash) \
      --zsh <($out/bin/diskspd completions zsh) \
      --fish <($out/bin/diskspd completions fish)
    mkdir -p $out/share/doc/diskspd
    cp -r README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md docs $out/share/doc/diskspd/
  '';

  doInstallCheck = stdenv.buildPlatform.canExecute stdenv.hostPlatform;
  installCheckPhase = ''
    $out/bin/diskspd --engine sim -c1M -b4K -r -L -W0 -d1 --quiet test.dat | grep "Total IO" >/dev/null
  '';

  meta = {
    description = "Storage load generator that says whether its figures can be believed";
    homepage = "https://diskspd.invalid/diskspd-for-linux";
    changelog = "https://diskspd.invalid/diskspd-for-linux/blob/v${finalAttrs.version}/CHANGELOG.md";
    license = with lib.licenses; [ mit asl20 ];
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "diskspd";
  };
})
