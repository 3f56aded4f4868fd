-- Old windows are read from memory; boards in Redis read one rarely, by a scan. With the index, an import
-- wrote almost twice as many bytes.
DROP INDEX IF EXISTS sold_out_schedules_by_time;
