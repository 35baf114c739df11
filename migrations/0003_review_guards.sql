CREATE TRIGGER verdict_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON verdict FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER trunk_move_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON trunk_move FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER thread_resolution_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON thread_resolution FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER attestation_append_only BEFORE DELETE OR TRUNCATE ON attestation FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
--> statement-breakpoint
CREATE TRIGGER landing_append_only BEFORE DELETE OR TRUNCATE ON landing FOR EACH STATEMENT EXECUTE FUNCTION av_append_only();
