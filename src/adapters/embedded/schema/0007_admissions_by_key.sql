-- Admissions are found by their key; deleting old ones is rare and uses a scan. With the index, every entry
-- wrote twice.
DROP INDEX IF EXISTS admissions_by_end;
