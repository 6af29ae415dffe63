PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1685287012;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
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
    PRIMARY KEY (run, time_span, direction)
) WITHOUT ROWID;
INSERT INTO "figures" VALUES('mwqtqomnsnqu',1,'read',1.0,24153,24153.0,94.34765625,8.28018821264439180973e-02,7.86549970507621765136e-02,1.25759005546569824218e-01,1.57311007380485506912e-01);
INSERT INTO "figures" VALUES('mwqtqomnsnqu',1,'total',1.0,24153,24153.0,94.34765625,8.28018821264439180973e-02,7.86549970507621765136e-02,1.25759005546569824218e-01,1.57311007380485506912e-01);
INSERT INTO "figures" VALUES('mwqtqomnsnqu',1,'write',1.0,0,0.0,0.0,NULL,NULL,NULL,NULL);
INSERT INTO "figures" VALUES('ymqklkmzukpu',1,'read',1.0,22407,22407.0,87.52734375,8.28599386798768294815e-02,7.86549970507621765136e-02,1.25759005546569824218e-01,1.57054990530014038085e-01);
INSERT INTO "figures" VALUES('ymqklkmzukpu',1,'total',1.0,32080,32080.0,125.3125,0.0623417862531172,7.50709995627403259277e-02,1.21790997684001922607e-01,1.5244700014591217041e-01);
INSERT INTO "figures" VALUES('ymqklkmzukpu',1,'write',1.0,9673,9673.0,37.78515625,1.48125562907060887019e-02,0.0138310007750988,2.55830008536577190036e-02,3.31829972565174102783e-02);
CREATE TABLE runs (
    id           TEXT PRIMARY KEY,
    source       TEXT NOT NULL,
    label        TEXT,
    pinned       INTEGER NOT NULL,
    saved_at     INTEGER NOT NULL,
    imported_from TEXT,
    started_at   INTEGER,
    computer     TEXT,
    fingerprint  TEXT,
    workload     TEXT NOT NULL,
    command_line TEXT,
    worst        TEXT,
    identity     TEXT
) WITHOUT ROWID;
INSERT INTO "runs" VALUES('mwqtqomnsnqu','json','first',0,1795357237,NULL,1795357237,'vm',NULL,'db6dc46e6bb9e13b','diskspd --engine=sim -b4K -r -L -W0 -d1 -c1G --save=first target','note','1def3b9ed035fd0b');
INSERT INTO "runs" VALUES('ymqklkmzukpu','json','second',1,1795357238,NULL,1795357238,'vm',NULL,'25ceb0a6fe160214','diskspd --engine=sim -b4K -r -L -W0 -d1 -c1G -w30 --save=second target','note','18a87bf6ac36f36a');
CREATE TABLE tags (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) WITHOUT ROWID;
INSERT INTO "tags" VALUES('mwqtqomnsnqu','old');
CREATE TABLE targets (
    run    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path   TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
INSERT INTO "targets" VALUES('mwqtqomnsnqu',1,'target');
INSERT INTO "targets" VALUES('ymqklkmzukpu',1,'target');
CREATE INDEX runs_by_label ON runs (label);
CREATE INDEX runs_by_identity ON runs (identity);
COMMIT;
