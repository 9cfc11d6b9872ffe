    f"CREATE TABLE IF NOT EXISTS {LOG} (run_id TEXT, run_at TIMESTAMP, entity TEXT, "
    "relation TEXT, action TEXT, row_count BIGINT, until TIMESTAMP)",
