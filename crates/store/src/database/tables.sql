-- The index of a store, version 4: docs/reference/history.md describes every column. It follows from the files and can be made anew
-- from them (diskspd history reindex); other tools may read it, and change nothing by it.
CREATE TABLE runs (
    id           TEXT PRIMARY KEY,
    source       TEXT NOT NULL,
    label        TEXT,
    pinned       INTEGER NOT NULL,
    saved_at     INTEGER NOT NULL,
    kept         INTEGER NOT NULL,
    position     INTEGER NOT NULL,
    notes        INTEGER NOT NULL,
    imported_from TEXT,
    started_at   INTEGER,
    computer     TEXT,
    machine      TEXT,
    fingerprint  TEXT,
    disks        TEXT,
    workload     TEXT NOT NULL,
    command_line TEXT,
    severity     TEXT,
    identity     TEXT
) WITHOUT ROWID;
CREATE INDEX runs_by_label ON runs (label);
CREATE INDEX runs_by_identity ON runs (identity);
CREATE INDEX runs_by_position ON runs (position, kept);
CREATE TABLE tags (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) WITHOUT ROWID;
CREATE TABLE targets (
    run    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path   TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE time_spans (
    run            TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    time_span      INTEGER NOT NULL,
    threads        ,
    outstanding    ,
    in_flight      ,
    block_bytes    ,
    write_percent  ,
    random_percent ,
    duration_s     ,
    warmup_s       ,
    PRIMARY KEY (run, time_span)
) WITHOUT ROWID;
CREATE TABLE figures (
    run       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    time_span INTEGER NOT NULL,
    direction TEXT NOT NULL,
    seconds   REAL,
    ios       INTEGER,
    iops      REAL,
    mib_per_s REAL,
    mean_ms   REAL,
    p50_ms    REAL,
    p99_ms    REAL,
    p999_ms   REAL,
    open_end_ms REAL,
    verdict   TEXT,
    PRIMARY KEY (run, time_span, direction)
) WITHOUT ROWID;
CREATE TABLE fingerprints (
    hash  TEXT NOT NULL,
    part  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (hash, part)
) WITHOUT ROWID;
