"""What the package promises, on records of the project's tests, and (DISKSPD_PROGRAM) on runs made now."""

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PYTHON))

import diskspd  # noqa: E402
from diskspd.histograms import bounds, numbers  # noqa: E402

DATA = PYTHON.parent / "tests" / "data"
RECORD = DATA / "records" / "one-line.json"
STORE = DATA / "store" / "version-1"


def document():
    return json.loads(RECORD.read_text(encoding="utf-8"))


class Generated(unittest.TestCase):
    def test_the_dataclasses_are_what_the_schemas_say(self):
        ended = subprocess.run([sys.executable, str(PYTHON / "tools" / "generate.py"), "--check"], capture_output=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, b""), "python3 python/tools/generate.py")


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, name, content):
        path = self.folder / name
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    def test_figures_are_those_of_the_summary(self):
        run = diskspd.read(RECORD)
        spans = document()["figures"]["time_spans"]
        self.assertEqual([row.direction for row in run.figures()], ["read", "write", "total"])
        for row in run.figures():
            throughput = spans[0][row.direction]["total"]["throughput"]
            self.assertEqual((row.ios, row.bytes, row.iops), (throughput["ios"], throughput["bytes"], throughput["iops"]))
        self.assertEqual((row.block_size, row.write_percent, row.random_percent, row.targets), (4096, 50, 100, "t.dat"))

    def test_all_of_a_record_is_there_as_dataclasses(self):
        record = diskspd.read(RECORD).record
        self.assertEqual(record.profile.time_spans[0].targets[0].block_size, 4096)
        self.assertEqual(record.hosts[0].results.time_spans[0].threads[0].targets[0].read.ios,
                         document()["hosts"][0]["results"]["time_spans"][0]["threads"][0]["targets"][0]["read"]["ios"])

    def test_a_histogram_is_unpacked_to_the_percentiles_of_the_summary(self):
        run = diskspd.read(RECORD)
        for row in run.figures():
            latencies = run.latencies(direction=row.direction)
            self.assertEqual(latencies.count, row.ios)
            for percent, expected in ((50, row.p50_ms), (99, row.p99_ms), (99.9, row.p999_ms), (100, row.max_ms)):
                self.assertAlmostEqual(latencies.percentile(percent) / 1e6 / expected, 1, places=5)
            self.assertAlmostEqual(latencies.mean / 1e6 / row.mean_ms, 1, places=5)
            self.assertEqual(sum(count for _, _, count in latencies.buckets()), row.ios)
        with self.assertRaises(ValueError):
            run.latencies(direction="sideways")

    def test_intervals_percentiles_targets_and_findings_are_rows(self):
        run = diskspd.read(RECORD)
        intervals = run.intervals()
        self.assertEqual(sum(row["ios"] for row in intervals if row["direction"] == "total") > 0, True)
        percentiles = run.percentiles()
        self.assertEqual((len(percentiles), percentiles[0]["percent"], percentiles[-1]["percent"]), (108, 0.0, 100.0))
        self.assertEqual({row["path"] for row in run.targets()}, {"t.dat"})
        self.assertIn("single-run", [finding["name"] for finding in run.findings()])

    def test_compressed_records_and_folders_are_read(self):
        self.written("b.json.gz", RECORD.read_bytes())
        self.written("a.json", RECORD.read_bytes())
        self.written("c.json", {"no": "record"})
        runs = diskspd.read_all([self.folder])
        self.assertEqual([run.path.name for run in runs], ["a.json", "b.json.gz"])
        with self.assertRaises(diskspd.FormatError):
            diskspd.read_all([self.folder / "c.json"])

    def test_repetition_stands_for_its_records(self):
        names = ["r-1.json", "r-2.json"]
        paths = [self.written(name, RECORD.read_bytes()) for name in names]
        runs = [{"number": 1, "file": name} for name in names]
        repetition = {"format": {"name": "diskspd repetition", "version": 1}, "runs": runs}
        answer = self.written("r.json", repetition)
        for given in ([answer], [*paths, answer], [answer, *paths], [self.folder]):
            self.assertEqual([run.path.name for run in diskspd.read_all(given)], names, given)
        left_over = self.written("r-3.json", RECORD.read_bytes())
        for given in ([answer, left_over], [self.folder]):
            self.assertEqual([run.path.name for run in diskspd.read_all(given)], names, given)
        self.assertEqual(len(diskspd.read_all(left_over)), 1)
        without = dict(repetition, runs=[{"number": 1, "file": None}])
        with self.assertRaises(diskspd.FormatError):
            diskspd.read_all([self.written("alone.json", without)])

    def test_answers_of_many_runs_are_tables(self):
        corpus = PYTHON.parent / "fuzz" / "corpus"
        sweep = diskspd.read(corpus / "result_sweep" / "depths.json")
        self.assertIsInstance(sweep, diskspd.Sweep)
        rows = sweep.rows()
        self.assertEqual([row["o"] for row in rows][:3], ["1", "2", "4"])
        self.assertTrue(all(row["iops"] > 0 and row["p99_ms"] > 0 for row in rows))
        comparison = diskspd.read(corpus / "result_comparison" / "six_runs.json")
        iops = comparison.rows()[0]
        self.assertEqual((iops["figure"], iops["verdict"]), ("iops", "better"))
        self.assertGreater(iops["b_median"], iops["a_median"])
        repetition = diskspd.read(corpus / "result_repetition" / "three_runs.json")
        self.assertEqual([row["number"] for row in repetition.rows()], [1, 2, 3])
        self.assertIn("mean", repetition.figures["iops"])

    def test_damaged_answers_are_refused(self):
        whole = json.loads((PYTHON.parent / "fuzz" / "corpus" / "result_sweep" / "depths.json").read_text())
        newer = {**whole, "format": {**whole["format"], "version": 99}}
        for document in (newer, {"format": whole["format"]}, {**whole, "points": [{}]}, {**whole, "points": None}):
            with self.assertRaises(diskspd.FormatError):
                diskspd.read(self.written("damaged.json", document))
        with self.assertRaises(diskspd.FormatError):
            diskspd.read(self.written("cut.json", json.dumps(whole).encode()[:300]))

    def test_one_path_is_enough_for_several_records(self):
        record = self.written("a.json", RECORD.read_bytes())
        for path in (self.folder, str(self.folder), [self.folder], record, str(record), os.fsencode(record)):
            self.assertEqual(len(diskspd.read_all(path)), 1)
        empty = self.folder / "empty"
        empty.mkdir()
        with self.assertRaises(diskspd.FormatError):
            diskspd.read_all(empty)

    def test_the_first_line_is_enough_for_a_list_and_the_rest_comes_when_it_is_asked_for(self):
        whole = diskspd.read(RECORD)
        path = self.written("run.json.gz", (RECORD.read_bytes()))
        run = diskspd.read_index(path)
        self.assertEqual(run.figures(), whole.figures())
        self.assertEqual(run.latencies().count, whole.latencies().count)

    def test_what_is_no_record_is_refused_with_a_reason(self):
        newer, older, odd = document(), document(), document()
        newer["format"]["version"] = 4
        older["format"]["version"] = 2
        odd["hosts"] = {"0": {}}
        for content, reason in (
            (b"", "not a record"), (b"[]", "not a record of diskspd"), (b"{}", "not a record of diskspd"),
            (b"\xff\xfe{", "not a record"), (RECORD.read_bytes()[:500], "not a record"), (b"[" * 100_000, "not a record"),
            (newer, "update it"), (older, "measure again"), ({"format": newer["format"]}, "update it"),
            ({"format": document()["format"]}, "hosts are missing"),
        ):
            with self.assertRaises(diskspd.FormatError) as caught:
                diskspd.read(self.written("run.json", content))
            self.assertIn(reason, str(caught.exception))
        with self.assertRaises(diskspd.FormatError) as caught:
            diskspd.read(self.written("run.json", odd)).record
        self.assertIn("hosts: a list was expected", str(caught.exception))
        cut = self.written("run.json.gz", RECORD.read_bytes())
        cut.write_bytes(cut.read_bytes()[:-100])
        for read in (diskspd.read, lambda path: diskspd.read_index(path).record):
            with self.assertRaises(diskspd.FormatError):
                read(cut)

    def test_fields_that_are_new_are_ignored_and_missing_ones_are_none(self):
        changed = document()
        changed["tomorrow"] = changed["hosts"][0]["tomorrow"] = {"a": 1}
        del changed["method"]
        record = diskspd.read(self.written("run.json", changed)).record
        self.assertIsNone(record.method)
        self.assertEqual(record.hosts[0].name, "vm")

    def test_a_path_that_is_not_utf_8_is_a_text_as_file_names_are(self):
        changed = document()
        changed["hosts"][0]["targets"][0]["path"] = {"bytes": [47, 255]}
        record = diskspd.read(self.written("run.json", changed)).record
        self.assertEqual(os.fsencode(record.hosts[0].targets[0].path), b"/\xff")


class Histograms(unittest.TestCase):
    def test_buckets_are_as_the_record_defines_them(self):
        for bucket, expected in ((0, (0, 0)), (1023, (1023, 1023)), (1024, (1024, 1025)), (1535, (2046, 2047)),
                                 (1536, (2048, 2051))):
            self.assertEqual(bounds(bucket), expected)
        ends = [bounds(bucket) for bucket in range(16384)]
        self.assertTrue(all(before[1] + 1 == after[0] for before, after in zip(ends, ends[1:])))

    def test_packed_numbers_have_seven_bits_a_byte(self):
        import base64
        packed = lambda content: base64.b64encode(bytes(content)).decode()
        self.assertEqual(list(numbers(packed([0, 0x7F, 0x80, 1, 0xFF, 0x7F]))), [0, 127, 128, 16383])
        for damaged in (packed([0x80]), packed([0xFF] * 12), "%%%", None):
            with self.assertRaises(diskspd.FormatError):
                list(numbers(damaged))


class Store(unittest.TestCase):
    def test_runs_stand_in_order_and_are_found_by_id_and_label(self):
        history = diskspd.History(STORE)
        runs = history.runs()
        self.assertEqual(len(runs), 2)
        self.assertTrue(runs[0].index.started_at <= runs[1].index.started_at)
        self.assertEqual(history.run("@" + runs[0].id).id, runs[0].id)
        self.assertEqual(history.run(runs[1].id[:4]).id, runs[1].id)
        self.assertEqual(history.runs(label="no such label"), [])
        self.assertEqual(len(history.runs(last=1)), 1)
        with self.assertRaises(KeyError):
            history.run("none")

    def test_a_folder_that_is_not_there_has_no_runs(self):
        self.assertEqual(diskspd.History("/nowhere/at/all").runs(), [])

    def test_what_is_no_record_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = Path(folder) / "runs"
            runs.mkdir()
            (runs / "kkkkkkkkkkkk.xml.gz").write_bytes(b"")
            (runs / "llllllllllll.json.gz").write_bytes(b"no gzip")
            history = diskspd.History(folder)
            self.assertEqual(history.runs(), [])
            self.assertEqual(sorted(history.left_out), ["kkkkkkkkkkkk.xml.gz", "llllllllllll.json.gz"])


LINE = {"time_span": 1, "missed": 0, "end_ms": 1000, "started_at": 1700000000000, "percentiles": None, "response": None,
        "partial_s": None, **{name: {"ios": 5, "iops": 5.0, "mib_per_s": 1.0, "latency": None}
                              for name in ("read", "write", "total")}}


class Streams(unittest.TestCase):
    def test_lines_are_intervals_until_an_empty_one(self):
        text = json.dumps(LINE) + "\n" + json.dumps({**LINE, "end_ms": 2000}) + "\n\nCommand Line: diskspd\n"
        intervals = list(diskspd.stream(io.StringIO(text)))
        self.assertEqual([interval.end_ms for interval in intervals], [1000, 2000])
        self.assertEqual(intervals[0].read.ios, 5)
        self.assertEqual(len(diskspd.stream_rows(intervals)), 6)

    def test_a_line_that_is_still_being_written_is_left_out_and_a_damaged_one_is_told(self):
        whole = json.dumps(LINE) + "\n"
        self.assertEqual(len(list(diskspd.stream([whole, whole[:20]]))), 1)
        for damaged in ("{]\n", "[]\n", "{}\n"):
            with self.assertRaises(diskspd.FormatError):
                list(diskspd.stream([whole, damaged]))


class Frames(unittest.TestCase):
    def setUp(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            if os.environ.get("DISKSPD_TEST_PANDAS"):
                raise
            self.skipTest("pandas is missing: pip install pandas")

    def test_everything_is_a_frame(self):
        run = diskspd.read(RECORD)
        for what, rows in (("figures", 3), ("percentiles", 108), ("targets", 6)):
            self.assertEqual(len(run.to_pandas(what)), rows, what)
        self.assertEqual(str(run.to_pandas()["started_at"].dt.tz), "UTC")
        self.assertEqual(len(diskspd.History(STORE).to_pandas()), 6)
        self.assertEqual(len(diskspd.stream_to_pandas([json.dumps(LINE) + "\n"])), 3)
        with self.assertRaises(ValueError):
            run.to_pandas("nothing")


@unittest.skipUnless(os.environ.get("DISKSPD_PROGRAM"), "DISKSPD_PROGRAM names no program to make runs with")
class Now(unittest.TestCase):
    """What the program writes today is read."""

    def test_a_run_of_today_its_history_and_every_percentile(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            line = (f"--engine sim -c1M -b4K -r -w30 -o4 -t2 -L -D500 -g1000i -W0 -d2 --quiet --save=now --store {folder}/store "
                    f"--out {folder}/run.json {folder}/test.dat")
            subprocess.run([os.environ["DISKSPD_PROGRAM"], *line.split()], check=True, capture_output=True)
            run = diskspd.read(folder / "run.json")
            self.assertEqual(len(run.intervals()), 12)
            for row in run.percentiles()[1:-1]:
                for direction in ("read", "write", "total"):
                    ours = run.latencies(direction=direction).percentile(row["percent"])
                    self.assertAlmostEqual(ours / 1e6 / row[f"{direction}_ms"], 1, places=4, msg=row["percent"])
            kept = diskspd.History(folder / "store").run("@now")
            self.assertEqual((kept.label, kept.index.identity), ("now", run.index.identity))


@unittest.skipUnless(os.environ.get("DISKSPD_PROGRAM"), "DISKSPD_PROGRAM names no program to make runs with")
class Programs(unittest.TestCase):
    """Runs that the package makes."""

    LINE = "--engine sim -c1M -b4K -r -w30 -o4 -L -W0 -d1"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.target = Path(folder.name) / "a b.dat"
        self.program = os.environ["DISKSPD_PROGRAM"]

    def test_run_returns_what_read_returns(self):
        run = diskspd.run(self.LINE, target=self.target, program=self.program)
        self.assertIsInstance(run, diskspd.Run)
        total = run.figures()[2]
        self.assertEqual((total.write_percent, total.block_size, total.targets), (30, 4096, str(self.target)))
        self.assertGreater(total.iops, 0)
        self.assertEqual(run.latencies().count, total.ios)
        self.assertEqual(run.record.profile.time_spans[0].targets[0].path, str(self.target))
        again = diskspd.run(self.LINE.split(), target=[self.target], program=self.program)
        self.assertEqual(again.figures()[2].ios, total.ios)

    def test_sweep_and_repeat_return_all_runs(self):
        line = "--engine sim -c1M -b4K -r -L -W0 -d1"
        points = diskspd.sweep(f"{line} -o1,2,4", target=self.target, program=self.program)
        # The program interleaves the points.
        self.assertEqual(sorted(run.figures()[2].in_flight for run in points), [1, 2, 4])
        self.assertTrue(all(run.record.hosts for run in points))
        runs = diskspd.repeat(line, target=self.target, times=3, program=self.program)
        self.assertEqual(len(runs), 3)
        self.assertEqual(len({run.index.identity for run in runs}), 3)

    def test_fio_line_is_run(self):
        line = f"fio --name=x --rw=randread --bs=4k --size=1m --filename='{self.target}' --runtime=1 --time_based"
        run = diskspd.run(f"{line} --engine sim", program=self.program)
        self.assertEqual(run.figures()[0].block_size, 4096)

    def test_errors_carry_the_message_of_the_program(self):
        for options, code, text in (("-b4Q", 3, "-b"), ("", 3, "no target"), ("-b4K -d1 -W0", 1, "a b.dat")):
            with self.assertRaises(diskspd.RunError) as caught:
                diskspd.run(options, target=None if code == 3 and text == "no target" else self.target,
                            program=self.program)
            error = caught.exception
            self.assertEqual(error.exit_code, code, error)
            self.assertIn(text, str(error))
            self.assertTrue(str(error).startswith("ERROR"), error)
            self.assertEqual((error.command[0], error.runs), (self.program, []))
        with self.assertRaises(diskspd.RunError) as caught:
            diskspd.sweep("-o1..4 --nonsense", target=self.target, program=self.program)
        self.assertEqual(caught.exception.exit_code, 3)
        with self.assertRaises(OSError):
            diskspd.run("-b4K", target=self.target, program=self.target)

    def test_judged_run_is_kept_in_the_error(self):
        line = "-c1M -b4K -r -Sb -W0 -d1 --strict"
        with self.assertRaises(diskspd.RunError) as caught:
            diskspd.run(line, target=self.target, program=self.program)
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("CACHED", str(caught.exception))
        self.assertEqual(len(caught.exception.runs), 1)

    def test_run_is_ended_after_its_timeout(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            diskspd.run("-c1M -b4K -r -W0 -d600", target=self.target, program=self.program, timeout=2)


if __name__ == "__main__":
    unittest.main()
