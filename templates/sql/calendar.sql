[#- Every day, and the periods it lies in. -#]
WITH days AS (
  SELECT
    [[ days ]]
)
SELECT
  [[ columns ]]
FROM days
