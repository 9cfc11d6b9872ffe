[#- What `pg_input_is_valid` is from PostgreSQL 16 on: whether a cast would take the text. -#]
DO $install$
BEGIN
  IF TO_REGPROCEDURE('assay.input_is_valid(text, text)') IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM PG_ADVISORY_XACT_LOCK(HASHTEXT('assay.input_is_valid'));
  -- Another session may have made it meanwhile, which only a query sees.
  IF NOT EXISTS (SELECT FROM PG_NAMESPACE WHERE nspname = 'assay') THEN
    CREATE SCHEMA assay;
    GRANT USAGE ON SCHEMA assay TO PUBLIC;
  END IF;
  IF NOT EXISTS (
    SELECT FROM PG_PROC
    WHERE proname = 'input_is_valid' AND pronamespace = 'assay'::REGNAMESPACE
  ) THEN
    -- The handler opens a sub-transaction, which a parallel worker may not do.
    CREATE FUNCTION assay.input_is_valid(value TEXT, type_name TEXT)
    RETURNS BOOLEAN LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE AS $body$
    DECLARE
      size INTEGER[];
    BEGIN
      IF type_name LIKE 'numeric(%' THEN
        size := STRING_TO_ARRAY(BTRIM(type_name, 'numeric()'), ',')::INTEGER[];
        RETURN ABS(ROUND(value::NUMERIC, size[2])) < 10::NUMERIC ^ (size[1] - size[2]);
      END IF;
      RETURN CASE type_name
        WHEN 'bigint' THEN value::BIGINT IS NOT NULL
        WHEN 'date' THEN value::DATE IS NOT NULL
        WHEN 'jsonb' THEN value::JSONB IS NOT NULL
        WHEN 'timestamp' THEN value::TIMESTAMP IS NOT NULL
        WHEN 'timestamptz' THEN value::TIMESTAMPTZ IS NOT NULL
      END;
    EXCEPTION
      WHEN data_exception OR program_limit_exceeded THEN
        RETURN FALSE;
    END
    $body$;
  END IF;
END
$install$
