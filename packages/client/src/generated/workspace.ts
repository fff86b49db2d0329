/** Generated from spec/workspace.openapi.yaml by `pnpm generate`; never edited. */

export interface paths {
    "/halfpipe/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Legacy route; the same response as POST /projects
         * @deprecated
         * Deprecated in favour of the route that it names.
         */
        post: operations["legacy.createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/halfpipe/transcripts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Legacy route; the same response as POST /projects/{projectId}/transcripts
         * @deprecated
         * Deprecated in favour of the route that it names.
         */
        post: operations["legacy.createTranscript"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of the workspace
         * One page of all projects; their order is not shown.
         */
        get: operations["projects.list"];
        put?: never;
        /**
         * Create a project
         * The project belongs to the workspace of the key and is empty.
         */
        post: operations["projects.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        /**
         * Get one project, with the executive summary of its latest completed report when there is one
         * Name and shape of the executive summary are not shown.
         */
        get: operations["projects.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/transcripts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        /**
         * List the transcripts of a project
         * One page of the transcripts that match every filter given; their order is not shown.
         */
        get: operations["transcripts.list"];
        put?: never;
        /**
         * Upload a transcript
         * The transcript is stored also when its annotation job cannot be submitted (`processing_status` is then `error`).
         */
        post: operations["transcripts.upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transcripts/{transcriptId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the transcript; begins with `tr_`.
                 * @example tr_01
                 */
                transcriptId: string;
            };
            cookie?: never;
        };
        /**
         * Get one transcript with all its turns and annotations
         * Names and shapes of turns and annotations are not shown.
         */
        get: operations["transcripts.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** The error body of a missing or invalid key. */
        AuthenticationError: {
            /** The error. */
            error: {
                /**
                 * The HTTP status.
                 * @constant
                 */
                code: 401;
                /** A message for people. */
                message: string;
                /**
                 * The kind of error.
                 * @constant
                 */
                type: "authentication_error";
            };
        };
        /** The error body of a key that lacks a permission. */
        AuthorizationError: {
            /** The error. */
            error: {
                /**
                 * The HTTP status.
                 * @constant
                 */
                code: 403;
                /** A message for people. */
                message: string;
                /**
                 * The kind of error.
                 * @constant
                 */
                type: "authorization_error";
            };
        };
        /** Only the type is shown; other fields are open. */
        InvalidRequestError: {
            /** The error. */
            error: {
                /** The HTTP status. */
                code?: number;
                /** A message for people. */
                message?: string;
                /**
                 * The kind of error.
                 * @constant
                 */
                type: "invalid_request_error";
            };
        };
        /** Only the type is shown; other fields are open. */
        NotFoundError: {
            /** The error. */
            error: {
                /** The HTTP status. */
                code?: number;
                /** A message for people. */
                message?: string;
                /**
                 * The kind of error.
                 * @constant
                 */
                type: "not_found_error";
            };
        };
        /** An object of any fields. */
        OpenObject: {
            [key: string]: unknown;
        };
        /** The place of a page in its list. */
        Pagination: {
            /** Page size. */
            limit: number;
            /** 1-indexed number of this page. */
            page: number;
            /** The number of items in the whole list. */
            total: number;
        };
        /**
         * `queued`: `process` is true and the annotation job was submitted. `skipped`: `process` is false. `error`:
         *     `process` is true and the job could not be submitted; the transcript is stored all the same. Later transitions
         *     are not shown.
         * @enum {string}
         */
        ProcessingStatus: "queued" | "skipped" | "error";
        /** Server-side processing time in milliseconds. */
        ProcessingTime: number;
        /** A container of transcripts in one workspace. */
        Project: {
            /**
             * Time of creation, ISO 8601.
             */
            created_at: string;
            /** Has the form `hp-<uuid>`. */
            id: string;
            /**
             * Time of the most recent transcript upload, ISO 8601; null until one exists.
             */
            latest_transcript_at: string | null;
            /** 1 to 500 characters. */
            name: string;
            /** The number of transcripts; 0 right after creation. */
            transcript_count: number;
            /**
             * Time of the last change, ISO 8601.
             */
            updated_at: string;
        };
        /** A project to create. */
        ProjectCreate: {
            /**
             * Domain pack that locks the analysis taxonomy.
             * @default general
             * @enum {string}
             */
            domain?: "general" | "ai_coding";
            /** 1 to 500 characters. */
            name: string;
        };
        /** A project, and the executive summary under a name that is not shown. */
        ProjectDetail: components["schemas"]["Project"] & components["schemas"]["OpenObject"];
        /** The envelope of one record. */
        ProjectDetailResponse: {
            /** The project. */
            data: components["schemas"]["ProjectDetail"];
            /** Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** One page of projects. */
        ProjectListResponse: {
            /** The items of the page; their order is not shown. */
            data: components["schemas"]["Project"][];
            /** 1-indexed page, page size and total items. */
            pagination: components["schemas"]["Pagination"];
            /** Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** The envelope of one record. */
        ProjectResponse: {
            /** The project. */
            data: components["schemas"]["Project"];
            /** Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** The envelope of the other errors. This body is not shown, so its fields are optional. */
        RateLimitError: {
            /** The error. */
            error: {
                /** The HTTP status. */
                code?: number;
                /** A message for people. */
                message?: string;
                /** The kind of error. */
                type?: string;
            };
        };
        /** A call of a tool by the assistant. */
        ToolCall: {
            /** The arguments of the call; any JSON value. */
            args: components["schemas"]["Unspecified"];
            /** The name of the tool. */
            name: string;
        };
        /** The response of a tool. */
        ToolResult: {
            /** The name of the tool. */
            name: string;
            /** The response; any JSON value. */
            result: components["schemas"]["Unspecified"];
        };
        /** A stored transcript. */
        Transcript: {
            /** The number of turns with the role `assistant`. */
            assistant_turn_count: number;
            /**
             * Time of the upload, ISO 8601.
             */
            created_at: string;
            /** The uploaded `externalId`; null if there was none. */
            external_id: string | null;
            /** The uploaded `externalUserId`; null if there was none. */
            external_user_id: string | null;
            /** Begins with `tr_`. */
            id: string;
            /** The uploaded `language`; null if there was none. */
            language: string | null;
            /** The uploaded `metadata`; empty if there was none. */
            metadata: components["schemas"]["OpenObject"];
            /** The uploaded `modelName`; null if there was none. */
            model_name: string | null;
            /** The uploaded `name`. */
            name: string;
            /** The state after the upload. */
            processing_status: components["schemas"]["ProcessingStatus"];
            /** The uploaded `sourceSystem`; null if there was none. */
            source_system: string | null;
            /**
             * The uploaded `sourceTimestamp`, ISO 8601; null if there was none.
             */
            source_timestamp: string | null;
            /** The number of tokens; how they are counted is not shown. */
            total_token_count: number;
            /** The number of turns. */
            turn_count: number;
            /** The number of turns with the role `user`. */
            user_turn_count: number;
        };
        /**
         * A transcript with all its turns and annotations. The field list is not shown: the fields of a row, `turns`,
         *     `annotations` and any other may be present.
         */
        TranscriptDetail: components["schemas"]["TranscriptRow"] & ({
            /** The annotations; any JSON value. */
            annotations?: components["schemas"]["Unspecified"];
            /** The turns in their order; a reading, in which they have the fields of an upload. */
            turns?: components["schemas"]["Turn"][];
        } & {
            [key: string]: unknown;
        });
        /** The envelope of one record. */
        TranscriptDetailResponse: {
            /** The transcript. */
            data: components["schemas"]["TranscriptDetail"];
            /** Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** List bodies add `pagination`; the body of this one list is not shown, so it is optional here. */
        TranscriptListResponse: {
            /** The items of the page; their order is not shown. */
            data: components["schemas"]["TranscriptRow"][];
            /** 1-indexed page, page size and total items. */
            pagination?: components["schemas"]["Pagination"];
            /** Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** The envelope of one record. */
        TranscriptResponse: {
            /** The transcript. */
            data: components["schemas"]["Transcript"];
            /** Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /**
         * A row of the transcript list. Its fields are not shown: those of `Transcript` and any other may be present, and only
         *     the identifier is relied upon.
         */
        TranscriptRow: {
            /** The number of turns with the role `assistant`. */
            assistant_turn_count?: number;
            /**
             * Time of the upload, ISO 8601.
             */
            created_at?: string;
            /** The uploaded `externalId`; null if there was none. */
            external_id?: string | null;
            /** The uploaded `externalUserId`; null if there was none. */
            external_user_id?: string | null;
            /** Identifier of the transcript; begins with `tr_`. */
            id: string;
            /** The uploaded `language`; null if there was none. */
            language?: string | null;
            /** The uploaded `metadata`; empty if there was none. */
            metadata?: {
                [key: string]: unknown;
            };
            /** The uploaded `modelName`; null if there was none. */
            model_name?: string | null;
            /** The uploaded `name`. */
            name?: string;
            /** The state after the upload. */
            processing_status?: components["schemas"]["ProcessingStatus"];
            /** The uploaded `sourceSystem`; null if there was none. */
            source_system?: string | null;
            /**
             * The uploaded `sourceTimestamp`, ISO 8601; null if there was none.
             */
            source_timestamp?: string | null;
            /** The number of tokens; how they are counted is not shown. */
            total_token_count?: number;
            /** The number of turns. */
            turn_count?: number;
            /** The number of turns with the role `user`. */
            user_turn_count?: number;
        } & {
            [key: string]: unknown;
        };
        /** A transcript to upload; approximately 5 MB of JSON at most. */
        TranscriptUpload: {
            /** Your id of the transcript, which need not be unique; at most 500 characters. */
            externalId?: string;
            /** Your id of the user; at most 500 characters. */
            externalUserId?: string;
            /** Language code; at most 10 characters. */
            language?: string;
            /** Stored with the transcript. */
            metadata?: components["schemas"]["OpenObject"];
            /** Name of the model that wrote the assistant turns; at most 100 characters. */
            modelName?: string;
            /** 1 to 500 characters. */
            name: string;
            /**
             * Sends the transcript through the annotation pipeline (structural annotation, model-based annotation, pattern
             *     detection) after upload; false uploads without analysis.
             * @default true
             */
            process?: boolean;
            /** The system that the transcript comes from; at most 100 characters. */
            sourceSystem?: string;
            /** Time of the conversation, ISO 8601. */
            sourceTimestamp?: string;
            /** 1 to 1000 turns, in their order. */
            turns: components["schemas"]["Turn"][];
        };
        /** One turn of a conversation. */
        Turn: {
            /** The text of the turn, at most 1 MB. */
            content: string;
            /** Time of the turn, ISO 8601. */
            createdAt?: string;
            /** Any fields about the turn. */
            metadata?: components["schemas"]["OpenObject"];
            /**
             * The speaker.
             * @enum {string}
             */
            role: "user" | "assistant" | "system" | "tool" | "human_agent";
            /** Tool calls of an assistant turn. */
            toolCalls?: components["schemas"]["ToolCall"][];
            /** Tool responses. */
            toolResults?: components["schemas"]["ToolResult"][];
        };
        /** Any JSON value; its shape is not shown in the interface. */
        Unspecified: unknown;
    };
    responses: {
        /** The key is valid but lacks the permission, or the resource belongs to another workspace. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthorizationError"];
            };
        };
        /** The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** The id is unknown or, on reads, belongs to another workspace. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundError"];
            };
        };
        /** A turn exceeds 1 MB, or the total payload exceeds the body limit. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** May occur; rate-limit details of this surface are unpublished, and so is the body. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitError"];
            };
        };
        /** Missing or invalid key. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuthenticationError"];
            };
        };
    };
    parameters: {
        /** Page size. */
        limit: number;
        /** 1-indexed page number. */
        page: number;
        /**
         * Has the form `hp-<uuid>`; the project must belong to the key's workspace.
         * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
         */
        projectId: string;
    };
    requestBodies: never;
    headers: {
        /**
         * When to come back, in seconds or as an HTTP date (RFC 9110). The interface does not promise it on this surface.
         * @example 12
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "legacy.createSession": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The request body of this route is not shown. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenObject"];
            };
        };
        responses: {
            /** The same response shape as POST /projects: snake_case fields, no `success` flag, no `workspaceId` field. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "legacy.createTranscript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The request body of this route is not shown. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenObject"];
            };
        };
        responses: {
            /**
             * The same response shape as POST /projects/{projectId}/transcripts: snake_case fields, no `success` flag, no
             *     `workspaceId` field.
             */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "projects.list": {
        parameters: {
            query?: {
                /** Page size. */
                limit?: components["parameters"]["limit"];
                /** 1-indexed page number. */
                page?: components["parameters"]["page"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** One page of projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectListResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "projects.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            /** The new project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "projects.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The project. Name and shape of the executive summary are not shown, so the record is open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectDetailResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "transcripts.list": {
        parameters: {
            query?: {
                /** Filter by annotation, formatted `key:value`. */
                annotation?: string;
                /** Inclusive lower bound on `source_timestamp`, ISO 8601. */
                date_from?: string;
                /** Inclusive upper bound on `source_timestamp`, ISO 8601. */
                date_to?: string;
                /** Filter by language code. */
                language?: string;
                /** Page size. */
                limit?: components["parameters"]["limit"];
                /** Filter by model name. */
                model_name?: string;
                /** 1-indexed page number. */
                page?: components["parameters"]["page"];
                /** Full-text search across transcript content. */
                q?: string;
                /** Filter by source system. */
                source_system?: string;
            };
            header?: never;
            path: {
                /**
                 * Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** One page of transcripts. The response body of this list is not shown; rows are open records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptListResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "transcripts.upload": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        /**
         * Approximately 5 MB in total; larger bodies are answered with 413. Bulk loads go through the dashboard, outside
         *     this interface: up to 500 MB per file.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TranscriptUpload"];
            };
        };
        responses: {
            /** The stored transcript. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    "transcripts.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the transcript; begins with `tr_`.
                 * @example tr_01
                 */
                transcriptId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The transcript. The field list of this record is not shown, so it is open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptDetailResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
}
