    f"CREATE TABLE IF NOT EXISTS {RUNS} (run_id TEXT, run_at TIMESTAMP, entity TEXT, "
    "relation TEXT, action TEXT, row_count BIGINT, until TIMESTAMP)",
