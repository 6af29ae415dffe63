# Runs the open tests of docs/reference/windows.md and writes one file with their output, to send with a report.
#
#   powershell -ExecutionPolicy Bypass -File try-on-windows.ps1 -Folder D:\try [-Tool C:\tools\diskspd.exe]
#
# It works in a new folder below -Folder, needs 10 GiB there, and removes the folder at the end. It writes to no disk
# and no volume. Tests that need a person, a special device or a lost power are listed with what they need.
param(
    [Parameter(Mandatory = $true)][string]$Folder,
    [string]$Program = (Join-Path $PSScriptRoot 'diskspd.exe'),
    [string]$Tool = '',
    [string]$Out = (Join-Path (Get-Location) 'tried-on-windows.txt')
)
$ErrorActionPreference = 'Continue'
$here = Join-Path $Folder ("diskspd-try-" + [guid]::NewGuid().ToString('N'))
New-Item -ItemType Directory -Path $here -ErrorAction Stop | Out-Null
Set-Location $here
$env:DISKSPD_STORE = Join-Path $here 'store'
$big = Join-Path $here 'test.dat'

function Run([string]$line) {
    ">>> diskspd $line"
    & $Program ($line -split ' ') 2>&1 | ForEach-Object { "$_" }
    "exit code $LASTEXITCODE"
}
function RunTool([string]$line) {
    if ($Tool -eq '') { 'no -Tool: Microsoft''s diskspd.exe was not compared'; return }
    ">>> $Tool $line"
    & $Tool ($line -split ' ') 2>&1 | ForEach-Object { "$_" }
    "exit code $LASTEXITCODE"
}
function Both([string]$line) { Run $line; RunTool $line }
function Admin { ([Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()).IsInRole('Administrators') }

# The rows of "Open tests on Windows", in their order.
$rows = @(
    @{ Row = 1; Do = { if ($Tool -ne '') { Run "sweep --with $Tool -o1..8 -b4K -r -Sh -d5 -c4G $big" }; Run 'history list' } },
    @{ Row = 2; Needs = 'Ctrl-C in the middle of the sweep, then the same line with --dir points' },
    @{ Row = 3; Needs = 'a Linux machine with ssh to this one' },
    @{ Row = 4; Needs = 'eyes on Windows Terminal and the old consoles: diskspd report run.json' },
    @{ Row = 5; Do = { $env:NO_COLOR = '1'; Run 'compare run.json run.json'; Remove-Item Env:NO_COLOR } },
    @{ Row = 6; Do = { & $Program report run.json > r.txt; Run 'report r.txt'; Run 'compare run.json run.json --json c.json'; Run 'report c.json' } },
    @{ Row = 7; Do = { Run 'completions powershell' } },
    @{ Row = 8; Do = { Copy-Item run.json 'ä ö.json'; & $Program report 'ä ö.json' 2>&1 | Select-Object -First 3; Run 'report *.json --csv all.csv' } },
    @{ Row = 9; Do = { Run 'report run.json --html page.html'; $f = [IO.File]::Open("$here\page.html", 'Open', 'Read', 'None'); Run 'report run.json --html page.html'; $f.Close(); Get-ChildItem page* | Select-Object -Expand Name } },
    @{ Row = 10; Do = { Set-ItemProperty page.html IsReadOnly $true; Run 'report run.json --html page.html'; Set-ItemProperty page.html IsReadOnly $false } },
    @{ Row = 11; Do = { 1..200 | ForEach-Object { Copy-Item run.json "i$_.json" }; $job = Start-Job { param($p, $h) Set-Location $h; & $p history import i*.json } -ArgumentList $Program, $here; Run 'history import i*.json'; Wait-Job $job | Out-Null; Receive-Job $job; Run 'history reindex' } },
    @{ Row = 12; Needs = 'history import ended in the task manager, an hour before history reindex' },
    @{ Row = 13; Needs = 'a machine with ARM64' },
    @{ Row = 14; Do = { Run "doctor $big"; Run "doctor --json $big" } },
    @{ Row = 15; Needs = 'a machine whose power can be cut' },
    @{ Row = 16; Do = { Both '-Rsxml' } },
    @{ Row = 17; Do = { Run '--engine sim -d1 -W0 -c1G --out r.json x.dat'; cmd /c ver } },
    @{ Row = 18; Do = { Run 'devices'; "administrator: $(Admin)" } },
    @{ Row = 19; Do = { Run 'report run.json --html \\.\PhysicalDrive0'; Run 'report run.json --html C:\pagefile.sys' } },
    @{ Row = 20; Needs = 'Rust: cargo test -p diskspd-host -p diskspd-sys --lib' },
    @{ Row = 21; Do = { Run '--engine null -t4 -o32 -d5 -W0 -c1M n.dat'; Run '--engine null -ag1,0 -t4 -o32 -d5 -W0 -c1M n.dat' } },
    @{ Row = 22; Do = { 1..5 | ForEach-Object { Both "-c4G -b4K -r -o32 -t4 -Sh -w30 -L -d10 $big" }; Both "-c4G -b4K -r -o32 -t4 -x -Sh -w30 -L -d10 $big"; Both "-c4G -b4K -r -o1 -t4 -Sh -w30 -L -d10 $big"; Both "-c4G -b4K -r -o32 -t4 -Sb -w30 -L -d10 $big" } },
    @{ Row = 23; Do = { Run "-c4G -d5 $here\new.dat"; "administrator: $(Admin)" } },
    @{ Row = 24; Do = { Both "-c4G -b4K -r -w50 -t4 -Sm -d10 $big"; Both "-c4G -b4K -r -w50 -t4 -Sm -Nv -d10 $big"; Both "-c4G -b4K -r -w50 -t4 -Smw -d10 $big" } },
    @{ Row = 25; Do = { Run "-b4K -w100 -Sm -Nn -d5 $big" } },
    @{ Row = 26; Do = { Run "-l -b1M -o8 -t2 -Su -d5 $big" } },
    @{ Row = 27; Do = { Run "-Sr -b64K -o8 -d5 $big" } },
    @{ Row = 28; Do = { $job = Start-Job { param($p, $h) Set-Location $h; & $p --engine null -d2 -W0 -c1M -yrgo -yfdone n.dat } -ArgumentList $Program, $here; Start-Sleep 3; Run '-yego'; Wait-Job $job -Timeout 30 | Out-Null; Receive-Job $job } },
    @{ Row = 29; Needs = 'a disk that can be pulled out, with -Sm' },
    @{ Row = 30; Do = { Run "-b512 -Su -d5 $big" } },
    @{ Row = 31; Do = { foreach ($t in 'C:', '\\.\C:', '#0', '\\?\C:\x.dat') { Run "--dry-run -w100 -d1 $t" } } },
    @{ Row = 32; Do = { Run '-b4K -r -o32 -t2 -Su -d5 #0'; "administrator: $(Admin)" } },
    @{ Row = 33; Needs = 'empty disks: diskspd -w100 -d5 #1 overwrites the disk' },
    @{ Row = 34; Needs = 'unformatted and locked partitions: diskspd -w100 -d5 E: overwrites the volume' },
    @{ Row = 35; Needs = 'a disk without data: diskspd -w100 -d60 --destroy #1' },
    @{ Row = 36; Needs = 'a disk with sectors of 4 KiB' },
    @{ Row = 37; Do = { $job = Start-Job { param($p, $b) & $p -Su -o8 -d5 $b } -ArgumentList $Program, $big; Run "-I1 -Su -o8 -d5 $big"; Wait-Job $job | Out-Null; Receive-Job $job } },
    @{ Row = 38; Needs = 'a disk that can be pulled out' },
    @{ Row = 39; Do = { Run "-g4096 -b4K -o1 -d10 --io-log io.csv $big"; Run "-g4096 -b4K -o4 -d10 --io-log io4.csv $big" } },
    @{ Row = 40; Needs = 'Ctrl-C, Ctrl-Break and a closed window during diskspd --engine null -d30' }
)

& {
    "diskspd on Windows, $(Get-Date -Format s)"
    cmd /c ver
    Run '--version'
    # The record that several rows read, and the file that they use.
    Run "-c4G -b4K -r -o4 -w30 -d2 -W0 -L --out run.json $big"
    foreach ($row in $rows) {
        "==== row $($row.Row)"
        if ($row.Needs) { "not run: needs $($row.Needs)"; continue }
        try { & $row.Do } catch { "failed: $_" }
    }
} | Out-File -FilePath $Out -Encoding utf8
Set-Location $Folder
Remove-Item -Recurse -Force $here
"The results are in $Out; please send the file."
