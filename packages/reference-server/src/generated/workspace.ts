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
        /** List the projects of the workspace */
        get: operations["projects.list"];
        put?: never;
        /** Create a project */
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
                 * @description Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        /** Get one project, with the executive summary of its latest completed report when there is one */
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
                 * @description Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        /** List the transcripts of a project */
        get: operations["transcripts.list"];
        put?: never;
        /**
         * Upload a transcript
         * @description The transcript is stored also when its annotation job cannot be submitted (`processing_status` is then `error`).
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
                 * @description Identifier of the transcript; begins with `tr_`.
                 * @example tr_01
                 */
                transcriptId: string;
            };
            cookie?: never;
        };
        /** Get one transcript with all its turns and annotations */
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
        /** @description The error body of a missing or invalid key. */
        AuthenticationError: {
            /** @description The error. */
            error: {
                /**
                 * @description The HTTP status.
                 * @constant
                 */
                code: 401;
                /** @description What went wrong, for people. */
                message: string;
                /**
                 * @description The kind of error.
                 * @constant
                 */
                type: "authentication_error";
            };
        };
        /** @description The error body of a key that lacks a permission. */
        AuthorizationError: {
            /** @description The error. */
            error: {
                /**
                 * @description The HTTP status.
                 * @constant
                 */
                code: 403;
                /** @description What went wrong, for people. */
                message: string;
                /**
                 * @description The kind of error.
                 * @constant
                 */
                type: "authorization_error";
            };
        };
        /** @description Only the type is shown; other fields are open. */
        InvalidRequestError: {
            /** @description The error. */
            error: {
                /** @description The HTTP status. */
                code?: number;
                /** @description What went wrong, for people. */
                message?: string;
                /**
                 * @description The kind of error.
                 * @constant
                 */
                type: "invalid_request_error";
            };
        };
        /** @description Only the type is shown; other fields are open. */
        NotFoundError: {
            /** @description The error. */
            error: {
                /** @description The HTTP status. */
                code?: number;
                /** @description What went wrong, for people. */
                message?: string;
                /**
                 * @description The kind of error.
                 * @constant
                 */
                type: "not_found_error";
            };
        };
        /** @description An object of any fields. */
        OpenObject: {
            [key: string]: unknown;
        };
        /** @description The place of a page in its list. */
        Pagination: {
            /** @description Page size. */
            limit: number;
            /** @description 1-indexed number of this page. */
            page: number;
            /** @description The number of items in the whole list. */
            total: number;
        };
        /**
         * @description `queued`: `process` is true and the annotation job was submitted. `skipped`: `process` is false. `error`:
         *     `process` is true and the job could not be submitted; the transcript is stored all the same. Later transitions
         *     are not shown.
         * @enum {string}
         */
        ProcessingStatus: "queued" | "skipped" | "error";
        /** @description Server-side processing time in milliseconds. */
        ProcessingTime: number;
        /** @description A container of transcripts in one workspace. */
        Project: {
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601.
             */
            created_at: string;
            /** @description Has the form `hp-<uuid>`. */
            id: string;
            /**
             * Format: date-time
             * @description Time of the most recent transcript upload, ISO 8601; null until one exists.
             */
            latest_transcript_at: string | null;
            /** @description 1 to 500 characters. */
            name: string;
            /** @description The number of transcripts; 0 right after creation. */
            transcript_count: number;
            /**
             * Format: date-time
             * @description Time of the last change, ISO 8601.
             */
            updated_at: string;
        };
        /** @description A project to create. */
        ProjectCreate: {
            /**
             * @description Domain pack that locks the analysis taxonomy.
             * @default general
             * @enum {string}
             */
            domain?: "general" | "ai_coding";
            /** @description 1 to 500 characters. */
            name: string;
        };
        /** @description A project, and the executive summary under a name that is not shown. */
        ProjectDetail: components["schemas"]["Project"] & components["schemas"]["OpenObject"];
        /** @description The envelope of one record. */
        ProjectDetailResponse: {
            /** @description The project. */
            data: components["schemas"]["ProjectDetail"];
            /** @description Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** @description One page of projects. */
        ProjectListResponse: {
            /** @description The items of the page; their order is not shown. */
            data: components["schemas"]["Project"][];
            /** @description 1-indexed page, page size and total items. */
            pagination: components["schemas"]["Pagination"];
            /** @description Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** @description The envelope of one record. */
        ProjectResponse: {
            /** @description The project. */
            data: components["schemas"]["Project"];
            /** @description Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** @description A call of a tool by the assistant. */
        ToolCall: {
            /** @description The arguments of the call; any JSON value. */
            args: components["schemas"]["Unspecified"];
            /** @description The name of the tool. */
            name: string;
        };
        /** @description The response of a tool. */
        ToolResult: {
            /** @description The name of the tool. */
            name: string;
            /** @description The response; any JSON value. */
            result: components["schemas"]["Unspecified"];
        };
        /** @description A stored transcript. */
        Transcript: {
            /** @description The number of turns with the role `assistant`. */
            assistant_turn_count: number;
            /**
             * Format: date-time
             * @description Time of the upload, ISO 8601.
             */
            created_at: string;
            /** @description The uploaded `externalId`; null if there was none. */
            external_id: string | null;
            /** @description The uploaded `externalUserId`; null if there was none. */
            external_user_id: string | null;
            /** @description Begins with `tr_`. */
            id: string;
            /** @description The uploaded `language`; null if there was none. */
            language: string | null;
            /** @description The uploaded `metadata`; empty if there was none. */
            metadata: components["schemas"]["OpenObject"];
            /** @description The uploaded `modelName`; null if there was none. */
            model_name: string | null;
            /** @description The uploaded `name`. */
            name: string;
            /** @description The state after the upload. */
            processing_status: components["schemas"]["ProcessingStatus"];
            /** @description The uploaded `sourceSystem`; null if there was none. */
            source_system: string | null;
            /**
             * Format: date-time
             * @description The uploaded `sourceTimestamp`, ISO 8601; null if there was none.
             */
            source_timestamp: string | null;
            /** @description The number of tokens; how they are counted is not shown. */
            total_token_count: number;
            /** @description The number of turns. */
            turn_count: number;
            /** @description The number of turns with the role `user`. */
            user_turn_count: number;
        };
        /** @description A transcript with all its turns and annotations. The field list is not shown. */
        TranscriptDetail: {
            /** @description Identifier of the transcript; begins with `tr_`. */
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The envelope of one record. */
        TranscriptDetailResponse: {
            /** @description The transcript. */
            data: components["schemas"]["TranscriptDetail"];
            /** @description Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** @description List bodies add `pagination`; the body of this one list is not shown, so it is optional here. */
        TranscriptListResponse: {
            /** @description The items of the page; their order is not shown. */
            data: components["schemas"]["TranscriptRow"][];
            /** @description 1-indexed page, page size and total items. */
            pagination?: components["schemas"]["Pagination"];
            /** @description Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** @description The envelope of one record. */
        TranscriptResponse: {
            /** @description The transcript. */
            data: components["schemas"]["Transcript"];
            /** @description Server-side processing time in milliseconds. */
            processing_time_ms: components["schemas"]["ProcessingTime"];
        };
        /** @description A row of the transcript list. Not shown in the interface; only the identifier is relied upon. */
        TranscriptRow: {
            /** @description Identifier of the transcript; begins with `tr_`. */
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A transcript to upload; approximately 5 MB of JSON at most. */
        TranscriptUpload: {
            /** @description Your id of the transcript, which need not be unique; at most 500 characters. */
            externalId?: string;
            /** @description Your id of the user; at most 500 characters. */
            externalUserId?: string;
            /** @description Language code; at most 10 characters. */
            language?: string;
            /** @description Stored with the transcript. */
            metadata?: components["schemas"]["OpenObject"];
            /** @description Name of the model that wrote the assistant turns; at most 100 characters. */
            modelName?: string;
            /** @description 1 to 500 characters. */
            name: string;
            /**
             * @description Sends the transcript through the annotation pipeline (structural annotation, model-based annotation, pattern
             *     detection) after upload; false uploads without analysis.
             * @default true
             */
            process?: boolean;
            /** @description The system that the transcript comes from; at most 100 characters. */
            sourceSystem?: string;
            /** @description Time of the conversation, ISO 8601. */
            sourceTimestamp?: string;
            /** @description 1 to 1000 turns, in their order. */
            turns: components["schemas"]["Turn"][];
        };
        /** @description One turn of a conversation. */
        Turn: {
            /** @description The text of the turn, at most 1 MB. */
            content: string;
            /** @description Time of the turn, ISO 8601. */
            createdAt?: string;
            /** @description Any fields about the turn. */
            metadata?: components["schemas"]["OpenObject"];
            /**
             * @description The speaker.
             * @enum {string}
             */
            role: "user" | "assistant" | "system" | "tool" | "human_agent";
            /** @description Tool calls of an assistant turn. */
            toolCalls?: components["schemas"]["ToolCall"][];
            /** @description Tool responses. */
            toolResults?: components["schemas"]["ToolResult"][];
        };
        /** @description Any JSON value; its shape is not shown in the interface. */
        Unspecified: unknown;
    };
    responses: {
        /** @description The key is valid but lacks the permission, or the resource belongs to another workspace. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "This key lacks projects-write.",
                 *         "type": "authorization_error",
                 *         "code": 403
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthorizationError"];
            };
        };
        /** @description The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "name: expected 1 to 500 characters",
                 *         "type": "invalid_request_error",
                 *         "code": 400
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** @description The id is unknown or, on reads, belongs to another workspace. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "There is no such project.",
                 *         "type": "not_found_error",
                 *         "code": 404
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NotFoundError"];
            };
        };
        /** @description A turn exceeds 1 MB, or the total payload exceeds the body limit. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "The request body exceeds 5242880 bytes.",
                 *         "type": "invalid_request_error",
                 *         "code": 413
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** @description May occur; rate-limit details of this surface are unpublished, and so is the body. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OpenObject"];
            };
        };
        /** @description Missing or invalid key. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "message": "A valid API key is required.",
                 *         "type": "authentication_error",
                 *         "code": 401
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthenticationError"];
            };
        };
    };
    parameters: {
        /** @description Page size. */
        limit: number;
        /** @description 1-indexed page number. */
        page: number;
        /**
         * @description Has the form `hp-<uuid>`; the project must belong to the key's workspace.
         * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
         */
        projectId: string;
    };
    requestBodies: {
        /** @description The request bodies of the legacy routes are not shown. */
        Legacy: {
            content: {
                "application/json": components["schemas"]["OpenObject"];
            };
        };
    };
    headers: {
        /**
         * @description When to come back, in seconds or as an HTTP date (RFC 9110). The interface does not promise it on this surface.
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
        requestBody: components["requestBodies"]["Legacy"];
        responses: {
            /** @description The same response shape as POST /projects: snake_case fields, no `success` flag, no `workspaceId` field. */
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
        requestBody: components["requestBodies"]["Legacy"];
        responses: {
            /**
             * @description The same response shape as POST /projects/{projectId}/transcripts: snake_case fields, no `success` flag, no
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
                /** @description Page size. */
                limit?: components["parameters"]["limit"];
                /** @description 1-indexed page number. */
                page?: components["parameters"]["page"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of projects. */
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
                /**
                 * @example {
                 *       "name": "Support",
                 *       "domain": "general"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            /** @description The new project. */
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
                 * @description Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. Name and shape of the executive summary are not shown, so the record is open. */
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
                /** @description Filter by annotation, formatted `key:value`. */
                annotation?: string;
                /** @description Inclusive lower bound on `source_timestamp`, ISO 8601. */
                date_from?: string;
                /** @description Inclusive upper bound on `source_timestamp`, ISO 8601. */
                date_to?: string;
                /** @description Filter by language code. */
                language?: string;
                /** @description Page size. */
                limit?: components["parameters"]["limit"];
                /** @description Filter by model name. */
                model_name?: string;
                /** @description 1-indexed page number. */
                page?: components["parameters"]["page"];
                /** @description Full-text search across transcript content. */
                q?: string;
                /** @description Filter by source system. */
                source_system?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of transcripts. The response body of this list is not shown; rows are open records. */
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
                 * @description Has the form `hp-<uuid>`; the project must belong to the key's workspace.
                 * @example hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                 */
                projectId: components["parameters"]["projectId"];
            };
            cookie?: never;
        };
        /**
         * @description Approximately 5 MB in total; larger bodies are answered with 413. Bulk loads go through the dashboard, outside
         *     this interface: up to 500 MB per file.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TranscriptUpload"];
            };
        };
        responses: {
            /** @description The stored transcript. */
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
                 * @description Identifier of the transcript; begins with `tr_`.
                 * @example tr_01
                 */
                transcriptId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transcript. The field list of this record is not shown, so it is open. */
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
