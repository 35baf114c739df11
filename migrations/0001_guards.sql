-- The clock of leases and times: the server's, moved by what a test may write into clock_shift.
INSERT INTO clock_shift (id, millis) VALUES (1, 0);
--> statement-breakpoint
CREATE FUNCTION av_now() RETURNS timestamp with time zone
LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT clock_timestamp() + coalesce((SELECT millis FROM clock_shift), 0) * interval '1 millisecond';
END;
--> statement-breakpoint
-- What is compressed already is not worth a second try.
ALTER TABLE file_index ALTER COLUMN doc SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE tree ALTER COLUMN doc SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE FUNCTION av_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only', tg_table_name USING ERRCODE = 'AV001', HINT = 'Add what is newer; nothing is changed or taken away.';
END $$;
--> statement-breakpoint
-- Passes a change that turns a text into its purge mark while av_purge_record is at that record; no other.
CREATE FUNCTION av_only_purged() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
	was jsonb := to_jsonb(old);
	becomes jsonb := to_jsonb(new);
	mark jsonb := CASE tg_table_name
		WHEN 'record' THEN '{"summary": "(purged)", "body": "", "purged": true}'
		ELSE '{"path": "(purged)", "symbol": null}'
	END;
	id text := CASE tg_table_name WHEN 'record' THEN was->>'id' ELSE was->>'record' END;
BEGIN
	IF current_setting('av.purging', true) = (was->>'repo') || ' ' || id AND becomes = was || mark THEN
		RETURN new;
	END IF;
	RAISE EXCEPTION '% is append-only', tg_table_name USING ERRCODE = 'AV001', HINT = 'Add what is newer; nothing is changed or taken away.';
END $$;
--> statement-breakpoint
CREATE TRIGGER record_only_purged BEFORE UPDATE ON record FOR EACH ROW EXECUTE FUNCTION av_only_purged();
--> statement-breakpoint
CREATE TRIGGER record_anchor_only_purged BEFORE UPDATE ON record_anchor FOR EACH ROW EXECUTE FUNCTION av_only_purged();
--> statement-breakpoint
CREATE TRIGGER record_append_only BEFORE DELETE OR TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER record_anchor_append_only BEFORE DELETE OR TRUNCATE ON record_anchor FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER supersession_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON supersession FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER claim_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON claim FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER fact_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON fact FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER checkpoint_append_only BEFORE DELETE OR TRUNCATE ON checkpoint FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
-- Replaces a record's text by a mark, and audits it: its id, kind, task, position, times and links stay. An anchor that
-- was found in the code stays too; one that never was is somebody's own words, and goes.
CREATE FUNCTION av_purge_record(p_repo text, p_id text, p_position bigint, p_actor text, p_session text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO fact (repo, position, event, subject, actor, session, at)
	VALUES (p_repo, p_position, 'purged', p_id, p_actor, p_session, av_now());
	PERFORM set_config('av.purging', p_repo || ' ' || p_id, true);
	UPDATE record_anchor SET path = '(purged)', symbol = NULL WHERE repo = p_repo AND record = p_id AND hash IS NULL;
	UPDATE record SET summary = '(purged)', body = '', purged = true WHERE repo = p_repo AND id = p_id;
	PERFORM set_config('av.purging', '', true);
END $$;
