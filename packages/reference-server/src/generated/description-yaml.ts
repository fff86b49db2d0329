/** Generated from spec/annotation.openapi.yaml and spec/workspace.openapi.yaml by `pnpm generate`; never edited. */
export const ownServer = "    servers:\n      - url: \"%WORKSPACE_SERVER%\"\n"
export const text = `openapi: 3.1.0
info:
  title: Transcript Service
  version: annotation 0.1.0, workspace 1
  summary: "Both surfaces of the transcript service: annotation and workspace."
  description: |
    ## Transcript Annotation Service (surface A)

    Annotates one conversation transcript per request, synchronously, with a named and versioned annotator.

    Clients name an annotator from the public registry, never a model or a provider. The same interface is served
    from two compute substrates; \`/health\` says which one answers. Batch endpoints are declared in version 1 and
    answer 501 (design reference RFC 000055). Operations stand under the path prefix \`/v1\`, \`/health\` without it.

    What the interface does not show is left open here and listed in \`spec/README.md\`. It shows no events, no
    deprecation policy and no version negotiation.

    ## Transcript Workspace Service (surface B)

    Keeps projects and transcripts of a workspace.

    Projects and transcripts belong to a workspace, not to a personal account; a key sees only the resources of its own
    workspace. Every success body is \`{ data, processing_time_ms }\`; lists add \`pagination\`.

    What the interface does not show is left open here and listed in \`spec/README.md\`. It shows no events, no
    deprecation policy and no version negotiation.
  contact:
    name: the svc authors
    email: maintainers@svc.invalid
    url: https://svc.invalid/issues
  license:
    name: MIT
    identifier: MIT
servers:
  - url: "%BASE_URL%"
tags:
  - name: annotations
    description: Annotate a transcript.
  - name: annotators
    description: The public registry of annotators. The versions of each are in its listing and in every annotation.
  - name: batches
    description: In version 1 they exist only as declarations.
  - name: health
    description: Liveness.
  - name: projects
    description: Containers of transcripts, scoped to one workspace.
  - name: transcripts
    description: Uploaded conversation transcripts.
  - name: legacy
    description: Legacy routes; their response shape changed in 2026-05, their path is unchanged.
x-tagGroups:
  - name: Transcript Annotation Service (surface A)
    tags:
      - annotations
      - annotators
      - batches
      - health
  - name: Transcript Workspace Service (surface B)
    tags:
      - projects
      - transcripts
      - legacy
paths:
  /health:
    get:
      operationId: health
      tags:
        - health
      summary: Report liveness and the serving substrate
      description: Needs no key.
      security: []
      responses:
        "200":
          description: The service is alive.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/HealthResponse"
              examples:
                fargate:
                  summary: The service is alive
                  value:
                    status: ok
                    substrate: fargate
  /v1/annotations:
    post:
      operationId: annotations.create
      tags:
        - annotations
      summary: Annotate one transcript
      description: |
        Synchronous; the annotation is in the 200 response: a structured summary, an overall outcome, fired quality
        signals, version identifiers and usage accounting. Request time-outs are not shown.
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: "#/components/schemas/AnnotationRequest"
            examples:
              conversation:
                summary: A conversation that ends with a question
                value:
                  annotator: structural
                  transcript:
                    - role: user
                      content: Where is order 7?
                    - role: assistant
                      content: I will look.
                    - role: user
                      content: Have you found it?
              hidden_message:
                summary: With a message that the user has not seen
                value:
                  annotator: patterns
                  transcript:
                    - role: system
                      content: Answer in one sentence.
                      is_user_visible: false
                    - role: user
                      content: Where is order 7?
                    - role: assistant
                      content: It is on its way.
      responses:
        "200":
          description: The annotation.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/AnnotationResponse"
              examples:
                poor:
                  summary: A signal fired at a turn
                  value:
                    summary:
                      title: Where is order 7?
                      keywords:
                        - order
                        - found
                        - look
                      summary: "3 turns: 2 of the user, 1 replies, 0 of tools. It begins: Where is order 7?"
                      quality_concerns: unanswered_user_turn
                      user_intent: Where is order 7?
                      domain: general
                    outcome: poor
                    outcome_notes: "Fired: unanswered_user_turn."
                    signals:
                      unanswered_user_turn:
                        evidence: Have you found it?
                        turn: 3
                    annotator: structural
                    annotator_version: 1.0.0
                    taxonomy_version: 1.0.0
                    usage:
                      tokens_in: 13
                      tokens_out: 101
                      latency_ms: 3
                strong:
                  summary: No signal fired
                  value:
                    summary:
                      title: Where is order 7?
                      keywords:
                        - order
                        - way
                      summary: "3 turns: 1 of the user, 1 replies, 0 of tools. It begins: Where is order 7?"
                      quality_concerns: none
                      user_intent: Where is order 7?
                      domain: general
                    outcome: strong
                    outcome_notes: No signal counts against this transcript.
                    signals: {}
                    annotator: patterns
                    annotator_version: 1.0.0
                    taxonomy_version: 1.0.0
                    usage:
                      tokens_in: 16
                      tokens_out: 82
                      latency_ms: 7
        "401":
          $ref: "#/components/responses/Unauthorized"
        "403":
          $ref: "#/components/responses/AnnotationForbidden"
        "404":
          $ref: "#/components/responses/AnnotationNotFound"
        "422":
          $ref: "#/components/responses/Unprocessable"
        "429":
          $ref: "#/components/responses/AnnotationTooManyRequests"
        "502":
          $ref: "#/components/responses/BadGateway"
        "503":
          $ref: "#/components/responses/Unavailable"
      security:
        - annotationBearer: &a1 []
  /v1/annotators:
    get:
      operationId: annotators.list
      tags:
        - annotators
      summary: List the available annotators
      description: |
        Described as public, while Authentication exempts only \`/health\` and the interface description: the key is
        optional here, and an answer of 401 or 403 is declared.
      security:
        - annotationBearer: []
        - {}
      responses:
        "200":
          description: The public registry.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/AnnotatorListResponse"
              examples:
                registry:
                  summary: A registry of two annotators
                  value:
                    annotators:
                      - id: structural
                        annotator_version: 1.0.0
                        taxonomy_version: 1.0.0
                        description: Reads the shape of the conversation.
                      - id: patterns
                        annotator_version: 1.0.0
                        taxonomy_version: 1.0.0
                        description: Reads the words of user and assistant.
        "401":
          $ref: "#/components/responses/Unauthorized"
        "403":
          $ref: "#/components/responses/AnnotationForbidden"
  /v1/batches:
    post:
      operationId: batches.create
      tags:
        - batches
      summary: Declared in version 1; answers 501
      description: Request and response bodies beyond the 501 envelope are not shown.
      requestBody:
        description: Not shown in the interface.
        required: false
        content:
          application/json:
            schema:
              $ref: "#/components/schemas/Unspecified"
            examples:
              empty:
                summary: Any body is answered with 501
                value: {}
      responses:
        "401":
          $ref: "#/components/responses/Unauthorized"
        "403":
          $ref: "#/components/responses/AnnotationForbidden"
        "501":
          $ref: "#/components/responses/NotImplemented"
      security:
        - annotationBearer: *a1
  /v1/batches/{batch_id}:
    get:
      operationId: batches.get
      tags:
        - batches
      summary: Declared in version 1; answers 501
      description: Response bodies beyond the 501 envelope are not shown.
      parameters:
        - name: batch_id
          in: path
          required: true
          description: Id of the batch.
          schema:
            type: string
          example: batch_1
      responses:
        "401":
          $ref: "#/components/responses/Unauthorized"
        "403":
          $ref: "#/components/responses/AnnotationForbidden"
        "422":
          description: The path parameter is invalid; what makes it so is not shown.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/HTTPValidationError"
              examples:
                too_long:
                  summary: The id of the batch is too long
                  value:
                    detail:
                      - loc:
                          - path
                          - batch_id
                        msg: String should have at most 255 characters
                        type: string_too_long
        "501":
          $ref: "#/components/responses/NotImplemented"
      security:
        - annotationBearer: *a1
  "%WORKSPACE_PREFIX%/projects":
    servers:
      - url: "%WORKSPACE_SERVER%"
    post:
      operationId: projects.create
      tags:
        - projects
      summary: Create a project
      description: The project belongs to the workspace of the key and is empty.
      x-permission: projects-write
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: "#/components/schemas/ProjectCreate"
            examples:
              general:
                summary: A project of customer support
                value:
                  name: Support
                  domain: general
              ai_coding:
                summary: A project of coding agents
                value:
                  name: Coding agent
                  domain: ai_coding
      responses:
        "201":
          description: The new project.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/ProjectResponse"
              examples:
                new:
                  summary: A project without transcripts
                  value:
                    data:
                      id: hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                      name: Support
                      transcript_count: 0
                      latest_transcript_at: null
                      created_at: 2026-05-04T09:00:00Z
                      updated_at: 2026-05-04T09:00:00Z
                    processing_time_ms: 3
        "400":
          $ref: "#/components/responses/InvalidRequest"
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "413":
          $ref: "#/components/responses/TooLarge"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: &a2 []
    get:
      operationId: projects.list
      tags:
        - projects
      summary: List the projects of the workspace
      description: One page of all projects; their order is not shown.
      x-permission: projects-read
      parameters:
        - $ref: "#/components/parameters/page"
        - $ref: "#/components/parameters/limit"
      responses:
        "200":
          description: One page of projects.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/ProjectListResponse"
              examples:
                one:
                  summary: A page of one project
                  value:
                    data:
                      - id: hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                        name: Support
                        transcript_count: 42
                        latest_transcript_at: 2026-05-04T10:00:00Z
                        created_at: 2026-05-04T09:00:00Z
                        updated_at: 2026-05-04T09:00:00Z
                    pagination:
                      page: 1
                      limit: 20
                      total: 1
                    processing_time_ms: 3
                empty:
                  summary: No project yet
                  value:
                    data: []
                    pagination:
                      page: 1
                      limit: 20
                      total: 0
                    processing_time_ms: 2
        "400":
          $ref: "#/components/responses/InvalidRequest"
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
  "%WORKSPACE_PREFIX%/projects/{projectId}":
    servers:
      - url: "%WORKSPACE_SERVER%"
    parameters:
      - $ref: "#/components/parameters/projectId"
    get:
      operationId: projects.get
      tags:
        - projects
      summary: Get one project, with the executive summary of its latest completed report when there is one
      description: Name and shape of the executive summary are not shown.
      x-permission: projects-read
      responses:
        "200":
          description: The project. Name and shape of the executive summary are not shown, so the record is open.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/ProjectDetailResponse"
              examples:
                filled:
                  summary: A project with transcripts
                  value:
                    data:
                      id: hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                      name: Support
                      transcript_count: 42
                      latest_transcript_at: 2026-05-04T10:00:00Z
                      created_at: 2026-05-04T09:00:00Z
                      updated_at: 2026-05-04T09:00:00Z
                    processing_time_ms: 3
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "404":
          $ref: "#/components/responses/WorkspaceNotFound"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
  "%WORKSPACE_PREFIX%/projects/{projectId}/transcripts":
    servers:
      - url: "%WORKSPACE_SERVER%"
    parameters:
      - $ref: "#/components/parameters/projectId"
    post:
      operationId: transcripts.upload
      tags:
        - transcripts
      summary: Upload a transcript
      description: The transcript is stored also when its annotation job cannot be submitted (\`processing_status\` is then \`error\`).
      x-permission: projects-write
      requestBody:
        description: |
          Approximately 5 MB in total; larger bodies are answered with 413. Bulk loads go through the dashboard, outside
          this interface: up to 500 MB per file.
        required: true
        content:
          application/json:
            schema:
              $ref: "#/components/schemas/TranscriptUpload"
            examples:
              least:
                summary: The required fields
                value:
                  name: Refund of order 7
                  turns:
                    - role: user
                      content: Where is my refund?
                    - role: assistant
                      content: On its way.
              full:
                summary: Every field, with a tool call
                value:
                  name: Refund of order 7
                  turns:
                    - role: user
                      content: Where is my refund?
                      createdAt: 2026-05-04T09:12:00Z
                    - role: assistant
                      content: ""
                      toolCalls:
                        - name: find_refund
                          args:
                            order: 7
                    - role: tool
                      content: sent
                      toolResults:
                        - name: find_refund
                          result:
                            state: sent
                    - role: human_agent
                      content: On its way.
                  modelName: assistant-1
                  language: en
                  sourceSystem: help-desk
                  externalId: ticket-7
                  externalUserId: customer-9
                  metadata:
                    team: billing
                  sourceTimestamp: 2026-05-04T09:12:00Z
                  process: true
      responses:
        "201":
          description: The stored transcript.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/TranscriptResponse"
              examples:
                queued:
                  summary: Stored, and sent to annotation
                  value:
                    data:
                      id: tr_01
                      name: Refund of order 7
                      model_name: null
                      language: en
                      source_system: help-desk
                      external_id: ticket-7
                      external_user_id: null
                      metadata:
                        team: billing
                      turn_count: 2
                      user_turn_count: 1
                      assistant_turn_count: 1
                      total_token_count: 9
                      source_timestamp: 2026-05-04T09:12:00Z
                      created_at: 2026-05-04T10:00:00Z
                      processing_status: queued
                    processing_time_ms: 12
                not_analysed:
                  summary: Stored, but its annotation job could not be submitted
                  value:
                    data:
                      id: tr_01
                      name: Refund of order 7
                      model_name: null
                      language: en
                      source_system: help-desk
                      external_id: ticket-7
                      external_user_id: null
                      metadata:
                        team: billing
                      turn_count: 2
                      user_turn_count: 1
                      assistant_turn_count: 1
                      total_token_count: 9
                      source_timestamp: 2026-05-04T09:12:00Z
                      created_at: 2026-05-04T10:00:00Z
                      processing_status: error
                    processing_time_ms: 12
        "400":
          $ref: "#/components/responses/InvalidRequest"
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "404":
          $ref: "#/components/responses/WorkspaceNotFound"
        "413":
          $ref: "#/components/responses/TooLarge"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
    get:
      operationId: transcripts.list
      tags:
        - transcripts
      summary: List the transcripts of a project
      description: One page of the transcripts that match every filter given; their order is not shown.
      x-permission: projects-read
      parameters:
        - $ref: "#/components/parameters/page"
        - $ref: "#/components/parameters/limit"
        - name: q
          in: query
          description: Full-text search across transcript content.
          schema:
            type: string
        - name: model_name
          in: query
          description: Filter by model name.
          schema:
            type: string
        - name: language
          in: query
          description: Filter by language code.
          schema:
            type: string
        - name: source_system
          in: query
          description: Filter by source system.
          schema:
            type: string
        - name: annotation
          in: query
          description: Filter by annotation, formatted \`key:value\`.
          schema:
            type: string
        - name: date_from
          in: query
          description: Inclusive lower bound on \`source_timestamp\`, ISO 8601.
          schema:
            type: string
        - name: date_to
          in: query
          description: Inclusive upper bound on \`source_timestamp\`, ISO 8601.
          schema:
            type: string
      responses:
        "200":
          description: One page of transcripts. The response body of this list is not shown; rows are open records.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/TranscriptListResponse"
              examples:
                one:
                  summary: A page of one transcript; a reading, because the rows are not shown
                  value:
                    data:
                      - id: tr_01
                        name: Refund of order 7
                        model_name: null
                        language: en
                        source_system: help-desk
                        external_id: ticket-7
                        external_user_id: null
                        metadata:
                          team: billing
                        turn_count: 2
                        user_turn_count: 1
                        assistant_turn_count: 1
                        total_token_count: 9
                        source_timestamp: 2026-05-04T09:12:00Z
                        created_at: 2026-05-04T10:00:00Z
                        processing_status: queued
                    pagination:
                      page: 1
                      limit: 20
                      total: 1
                    processing_time_ms: 4
                empty:
                  summary: No transcript matches the filters
                  value:
                    data: []
                    pagination:
                      page: 1
                      limit: 20
                      total: 0
                    processing_time_ms: 2
        "400":
          $ref: "#/components/responses/InvalidRequest"
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "404":
          $ref: "#/components/responses/WorkspaceNotFound"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
  "%WORKSPACE_PREFIX%/transcripts/{transcriptId}":
    servers:
      - url: "%WORKSPACE_SERVER%"
    parameters:
      - name: transcriptId
        in: path
        required: true
        description: Identifier of the transcript; begins with \`tr_\`.
        schema:
          type: string
        example: tr_01
    get:
      operationId: transcripts.get
      tags:
        - transcripts
      summary: Get one transcript with all its turns and annotations
      description: Names and shapes of turns and annotations are not shown.
      x-permission: projects-read
      responses:
        "200":
          description: The transcript. The field list of this record is not shown, so it is open.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/TranscriptDetailResponse"
              examples:
                with_turns:
                  summary: With its turns; a reading, because the record is not shown
                  value:
                    data:
                      id: tr_01
                      name: Refund of order 7
                      model_name: null
                      language: en
                      source_system: help-desk
                      external_id: ticket-7
                      external_user_id: null
                      metadata:
                        team: billing
                      turn_count: 2
                      user_turn_count: 1
                      assistant_turn_count: 1
                      total_token_count: 9
                      source_timestamp: 2026-05-04T09:12:00Z
                      created_at: 2026-05-04T10:00:00Z
                      processing_status: queued
                      turns:
                        - role: user
                          content: Where is my refund?
                        - role: assistant
                          content: On its way.
                      annotations: {}
                    processing_time_ms: 5
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "404":
          $ref: "#/components/responses/WorkspaceNotFound"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
  "%WORKSPACE_PREFIX%/halfpipe/sessions":
    servers:
      - url: "%WORKSPACE_SERVER%"
    post:
      operationId: legacy.createSession
      tags:
        - legacy
      summary: Legacy route; the same response as POST /projects
      description: Deprecated in favour of the route that it names.
      deprecated: true
      x-permission: projects-write
      requestBody:
        description: The request body of this route is not shown.
        required: true
        content:
          application/json:
            schema:
              $ref: "#/components/schemas/OpenObject"
            examples:
              project:
                summary: A reading; the body of POST /projects
                value:
                  name: Support
      responses:
        "201":
          description: |
            The same response shape as POST /projects: snake_case fields, no \`success\` flag, no \`workspaceId\` field.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/ProjectResponse"
              examples:
                new:
                  summary: A project without transcripts
                  value:
                    data:
                      id: hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                      name: Support
                      transcript_count: 0
                      latest_transcript_at: null
                      created_at: 2026-05-04T09:00:00Z
                      updated_at: 2026-05-04T09:00:00Z
                    processing_time_ms: 3
        "400":
          $ref: "#/components/responses/InvalidRequest"
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "413":
          $ref: "#/components/responses/TooLarge"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
  "%WORKSPACE_PREFIX%/halfpipe/transcripts":
    servers:
      - url: "%WORKSPACE_SERVER%"
    post:
      operationId: legacy.createTranscript
      tags:
        - legacy
      summary: Legacy route; the same response as POST /projects/{projectId}/transcripts
      description: Deprecated in favour of the route that it names.
      deprecated: true
      x-permission: projects-write
      requestBody:
        description: The request body of this route is not shown.
        required: true
        content:
          application/json:
            schema:
              $ref: "#/components/schemas/OpenObject"
            examples:
              transcript:
                summary: A reading; the body of an upload, with the id of its project
                value:
                  projectId: hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
                  name: Refund of order 7
                  turns:
                    - role: user
                      content: Where is my refund?
      responses:
        "201":
          description: |
            The same response shape as POST /projects/{projectId}/transcripts: snake_case fields, no \`success\` flag, no
            \`workspaceId\` field.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/TranscriptResponse"
              examples:
                queued:
                  summary: Stored, and sent to annotation
                  value:
                    data:
                      id: tr_01
                      name: Refund of order 7
                      model_name: null
                      language: en
                      source_system: help-desk
                      external_id: ticket-7
                      external_user_id: null
                      metadata:
                        team: billing
                      turn_count: 2
                      user_turn_count: 1
                      assistant_turn_count: 1
                      total_token_count: 9
                      source_timestamp: 2026-05-04T09:12:00Z
                      created_at: 2026-05-04T10:00:00Z
                      processing_status: queued
                    processing_time_ms: 12
                not_analysed:
                  summary: Stored, but its annotation job could not be submitted
                  value:
                    data:
                      id: tr_01
                      name: Refund of order 7
                      model_name: null
                      language: en
                      source_system: help-desk
                      external_id: ticket-7
                      external_user_id: null
                      metadata:
                        team: billing
                      turn_count: 2
                      user_turn_count: 1
                      assistant_turn_count: 1
                      total_token_count: 9
                      source_timestamp: 2026-05-04T09:12:00Z
                      created_at: 2026-05-04T10:00:00Z
                      processing_status: error
                    processing_time_ms: 12
        "400":
          $ref: "#/components/responses/InvalidRequest"
        "401":
          $ref: "#/components/responses/Unauthenticated"
        "403":
          $ref: "#/components/responses/WorkspaceForbidden"
        "404":
          $ref: "#/components/responses/WorkspaceNotFound"
        "413":
          $ref: "#/components/responses/TooLarge"
        "429":
          $ref: "#/components/responses/WorkspaceTooManyRequests"
      security:
        - workspaceBearer: *a2
components:
  securitySchemes:
    annotationBearer:
      type: http
      scheme: bearer
      description: |
        An API key, sent as \`Authorization: Bearer <API_KEY>\`; every endpoint needs one except \`/health\` and the
        interface description. Format and issuance of this surface's keys, and whether a key of surface B is accepted
        here, are not shown.
    workspaceBearer:
      type: http
      scheme: bearer
      description: |
        Every request carries \`Authorization: Bearer <API_KEY>\`. Keys are created by a workspace user in the dashboard
        under the API key settings; the full key is shown once at creation. A key can be revoked (reversible) or deleted
        permanently; its last-used time is visible. It belongs to a workspace and reaches only that workspace's projects
        and transcripts.

        New keys begin with \`sk-service-api03-\`; keys issued under an earlier product name (\`sk-legacy-api03-\`) remain
        valid without rotation. JWT-style tokens (beginning \`ey\`) are not supported on most endpoints. Whether a key of
        surface A is accepted here is not shown.

        Permissions are chosen at key creation and stand at each operation as \`x-permission\`: \`projects-read\` lists and
        reads projects and transcripts, \`projects-write\` creates projects and uploads transcripts. A legacy key may hold
        \`halfpipe-transcripts-write\` instead of \`projects-write\`. A key created with no permission restriction has full
        access.
  responses:
    Unauthorized:
      description: Missing or invalid key.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            invalid_key:
              summary: The key is missing or unknown
              value:
                error: unauthorized
                detail: A valid API key is required.
    AnnotationForbidden:
      description: Revoked or disabled key.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            revoked_key:
              summary: The key is revoked
              value:
                error: forbidden
                detail: This API key has been revoked.
    AnnotationNotFound:
      description: Declared; its causes are not shown.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            unknown_annotator:
              summary: No annotator has this id
              value:
                error: not_found
                detail: There is no annotator "nope".
    Unprocessable:
      description: The request cannot be processed.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            invalid_field:
              summary: A field is not of its type
              value:
                error: unprocessable
                detail: "transcript: expected an array of messages"
    AnnotationTooManyRequests:
      description: |
        The per-key rate limit is exceeded (a fixed window; its length and count are not shown), or the global provider
        capacity is saturated.
      headers:
        Retry-After:
          $ref: "#/components/headers/AnnotationRetryAfter"
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            window_full:
              summary: The rate limit of the key is used up
              value:
                error: rate_limited
                detail: The rate limit of this key is used up.
    BadGateway:
      description: Declared; its causes are not shown.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            no_answer:
              summary: The provider did not answer
              value:
                error: bad_gateway
                detail: The provider did not answer.
    Unavailable:
      description: Declared; its causes are not shown.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            unavailable:
              summary: The service is not available
              value:
                error: unavailable
                detail: The service is not available.
    NotImplemented:
      description: Batches are not implemented in version 1.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/ErrorResponse"
          examples:
            not_implemented:
              summary: Batches are declared only
              value:
                error: not_implemented
                detail: Batches are not implemented in version 1.
    InvalidRequest:
      description: The body is malformed, a required field is missing or out of bounds, or a parameter is not of its form.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/InvalidRequestError"
          examples:
            invalid_field:
              summary: A field is out of bounds
              value:
                error:
                  message: "name: expected 1 to 500 characters"
                  type: invalid_request_error
                  code: 400
    Unauthenticated:
      description: Missing or invalid key.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/AuthenticationError"
          examples:
            invalid_key:
              summary: The key is missing or unknown
              value:
                error:
                  message: A valid API key is required.
                  type: authentication_error
                  code: 401
    WorkspaceForbidden:
      description: The key is valid but lacks the permission, or the resource belongs to another workspace.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/AuthorizationError"
          examples:
            missing_permission:
              summary: The key lacks the permission
              value:
                error:
                  message: This key lacks projects-write.
                  type: authorization_error
                  code: 403
    WorkspaceNotFound:
      description: The id is unknown or, on reads, belongs to another workspace.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/NotFoundError"
          examples:
            unknown_project:
              summary: No project has this id
              value:
                error:
                  message: There is no such project.
                  type: not_found_error
                  code: 404
    TooLarge:
      description: A turn exceeds 1 MB, or the total payload exceeds the body limit.
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/InvalidRequestError"
          examples:
            body:
              summary: The body is larger than the limit
              value:
                error:
                  message: The request body exceeds 5242880 bytes.
                  type: invalid_request_error
                  code: 413
    WorkspaceTooManyRequests:
      description: May occur; rate-limit details of this surface are unpublished, and so is the body.
      headers:
        Retry-After:
          $ref: "#/components/headers/WorkspaceRetryAfter"
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/RateLimitError"
          examples:
            window_full:
              summary: A reading, because the body is not shown
              value:
                error:
                  message: Too many requests.
                  type: rate_limit_error
                  code: 429
  headers:
    AnnotationRetryAfter:
      description: When to come back, in seconds or as an HTTP date (RFC 9110).
      required: true
      schema:
        type: string
      example: "12"
    WorkspaceRetryAfter:
      description: When to come back, in seconds or as an HTTP date (RFC 9110). The interface does not promise it on this surface.
      required: false
      schema:
        type: string
      example: "12"
  schemas:
    TranscriptMessage:
      type: object
      description: One message of the transcript.
      required:
        - role
        - content
      properties:
        role:
          type: string
          description: The speaker, in any words; no enumeration is given.
        content:
          type: string
          description: The text of the message.
        is_user_visible:
          type: boolean
          description: The user has seen the message.
          default: true
    AnnotationRequest:
      type: object
      description: A transcript to annotate. Size bounds (message count, content length) are not shown.
      required:
        - transcript
        - annotator
      properties:
        transcript:
          type: array
          description: The messages in their order.
          items:
            $ref: "#/components/schemas/TranscriptMessage"
        annotator:
          type: string
          description: Id of an annotator of the registry.
        options:
          type: object
          description: Settings of this request; their names and values are not shown.
          additionalProperties: true
    AnnotationResponse:
      type: object
      description: The result of an annotation.
      required:
        - summary
        - outcome
        - outcome_notes
        - signals
        - annotator
        - annotator_version
        - taxonomy_version
        - usage
      properties:
        summary:
          $ref: "#/components/schemas/AnnotationSummary"
          description: The summary of the conversation.
        outcome:
          $ref: "#/components/schemas/Outcome"
          description: The quality of the conversation.
        outcome_notes:
          type: string
          description: Notes about the outcome.
        signals:
          type: object
          description: One entry for each quality signal that fired, by its key. The set of keys is not shown.
          additionalProperties:
            $ref: "#/components/schemas/SignalHit"
        annotator:
          type: string
          description: Id of the annotator.
        annotator_version:
          type: string
          description: Version of the annotator.
        taxonomy_version:
          type: string
          description: Version of its taxonomy.
        usage:
          $ref: "#/components/schemas/UsageInfo"
          description: Tokens and latency of the annotation.
    Outcome:
      type: string
      description: The quality of the conversation; \`indeterminate\` is no grade.
      enum:
        - strong
        - mixed
        - poor
        - critical
        - indeterminate
    AnnotationSummary:
      type: object
      description: The summary of a conversation.
      required:
        - title
        - keywords
        - summary
        - quality_concerns
        - user_intent
        - domain
      properties:
        title:
          type: string
          description: A title of the conversation.
        keywords:
          type: array
          description: Its keywords.
          items:
            type: string
        summary:
          type: string
          description: Its content in short.
        quality_concerns:
          type: string
          description: Concerns about its quality.
        user_intent:
          type: string
          description: The intent of the user.
        domain:
          type: string
          description: Its domain.
    SignalHit:
      type: object
      description: A quality signal that fired.
      required:
        - evidence
      properties:
        evidence:
          type: string
          description: The reason why the signal fired.
        turn:
          type:
            - integer
            - "null"
          description: 1-indexed turn of the transcript; null or missing if it belongs to no turn.
    UsageInfo:
      type: object
      description: The cost of an annotation.
      required:
        - tokens_in
        - tokens_out
        - latency_ms
      properties:
        tokens_in:
          type: integer
          description: The number of tokens in.
        tokens_out:
          type: integer
          description: The number of tokens out.
        latency_ms:
          type: integer
          description: Duration in milliseconds.
    AnnotatorInfo:
      type: object
      description: An annotator of the registry.
      required:
        - id
        - annotator_version
        - taxonomy_version
        - description
      properties:
        id:
          type: string
          description: The id that \`annotator\` of a request names.
        annotator_version:
          type: string
          description: Version of the annotator.
        taxonomy_version:
          type: string
          description: Version of its taxonomy.
        description:
          type: string
          description: A description of the annotator.
    AnnotatorListResponse:
      type: object
      description: The registry.
      required:
        - annotators
      properties:
        annotators:
          type: array
          description: All annotators.
          items:
            $ref: "#/components/schemas/AnnotatorInfo"
    HealthResponse:
      type: object
      description: Liveness and serving substrate.
      required:
        - status
        - substrate
      properties:
        status:
          type: string
          description: The state of the service; its values are not shown.
        substrate:
          type: string
          description: The serving substrate.
          enum:
            - fargate
            - lambda
    ErrorResponse:
      type: object
      description: The one error envelope of surface A.
      required:
        - error
        - detail
      properties:
        error:
          type: string
          description: The kind of error; its values are not shown.
        detail:
          type: string
          description: A message for people.
    HTTPValidationError:
      type: object
      description: Used only where a path parameter fails validation.
      properties:
        detail:
          type: array
          description: The invalid fields.
          items:
            $ref: "#/components/schemas/ValidationError"
    ValidationError:
      type: object
      description: One invalid field.
      required:
        - loc
        - msg
        - type
      properties:
        loc:
          type: array
          description: The path of the field; numbers are 0-based positions.
          items:
            type:
              - string
              - integer
        msg:
          type: string
          description: A message for people.
        type:
          type: string
          description: The kind of problem.
        input:
          description: The value that was refused; any JSON value.
        ctx:
          type: object
          description: Facts about the problem.
          additionalProperties: true
    Unspecified:
      description: Any JSON value; its shape is not shown in the interface.
    ProjectCreate:
      type: object
      description: A project to create.
      required:
        - name
      properties:
        name:
          type: string
          description: 1 to 500 characters.
          minLength: 1
          maxLength: 500
        domain:
          type: string
          description: Domain pack that locks the analysis taxonomy.
          enum:
            - general
            - ai_coding
          default: general
    Project:
      type: object
      description: A container of transcripts in one workspace.
      required:
        - id
        - name
        - transcript_count
        - latest_transcript_at
        - created_at
        - updated_at
      properties:
        id:
          type: string
          description: Has the form \`hp-<uuid>\`.
          pattern: ^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$
        name:
          type: string
          description: 1 to 500 characters.
          minLength: 1
          maxLength: 500
        transcript_count:
          type: number
          description: The number of transcripts; 0 right after creation.
        latest_transcript_at:
          type:
            - string
            - "null"
          format: date-time
          description: Time of the most recent transcript upload, ISO 8601; null until one exists.
        created_at:
          type: string
          format: date-time
          description: Time of creation, ISO 8601.
        updated_at:
          type: string
          format: date-time
          description: Time of the last change, ISO 8601.
    ProjectDetail:
      description: A project, and the executive summary under a name that is not shown.
      allOf:
        - $ref: "#/components/schemas/Project"
        - $ref: "#/components/schemas/OpenObject"
    Turn:
      type: object
      description: One turn of a conversation.
      required:
        - role
        - content
      properties:
        role:
          type: string
          description: The speaker.
          enum:
            - user
            - assistant
            - system
            - tool
            - human_agent
        content:
          type: string
          description: The text of the turn, at most 1 MB.
        toolCalls:
          type: array
          description: Tool calls of an assistant turn.
          items:
            $ref: "#/components/schemas/ToolCall"
        toolResults:
          type: array
          description: Tool responses.
          items:
            $ref: "#/components/schemas/ToolResult"
        metadata:
          description: Any fields about the turn.
          allOf:
            - $ref: "#/components/schemas/OpenObject"
        createdAt:
          type: string
          description: Time of the turn, ISO 8601.
    ToolCall:
      type: object
      description: A call of a tool by the assistant.
      required:
        - name
        - args
      properties:
        name:
          type: string
          description: The name of the tool.
        args:
          $ref: "#/components/schemas/Unspecified"
          description: The arguments of the call; any JSON value.
    ToolResult:
      type: object
      description: The response of a tool.
      required:
        - name
        - result
      properties:
        name:
          type: string
          description: The name of the tool.
        result:
          $ref: "#/components/schemas/Unspecified"
          description: The response; any JSON value.
    TranscriptUpload:
      type: object
      description: A transcript to upload; approximately 5 MB of JSON at most.
      required:
        - name
        - turns
      properties:
        name:
          type: string
          description: 1 to 500 characters.
          minLength: 1
          maxLength: 500
        turns:
          type: array
          description: 1 to 1000 turns, in their order.
          minItems: 1
          maxItems: 1000
          items:
            $ref: "#/components/schemas/Turn"
        modelName:
          type: string
          description: Name of the model that wrote the assistant turns; at most 100 characters.
          maxLength: 100
        language:
          type: string
          description: Language code; at most 10 characters.
          maxLength: 10
        sourceSystem:
          type: string
          description: The system that the transcript comes from; at most 100 characters.
          maxLength: 100
        externalId:
          type: string
          description: Your id of the transcript, which need not be unique; at most 500 characters.
          maxLength: 500
        externalUserId:
          type: string
          description: Your id of the user; at most 500 characters.
          maxLength: 500
        metadata:
          description: Stored with the transcript.
          allOf:
            - $ref: "#/components/schemas/OpenObject"
        sourceTimestamp:
          type: string
          description: Time of the conversation, ISO 8601.
        process:
          type: boolean
          description: |
            Sends the transcript through the annotation pipeline (structural annotation, model-based annotation, pattern
            detection) after upload; false uploads without analysis.
          default: true
    Transcript:
      type: object
      description: A stored transcript.
      required:
        - id
        - name
        - model_name
        - language
        - source_system
        - external_id
        - external_user_id
        - metadata
        - turn_count
        - user_turn_count
        - assistant_turn_count
        - total_token_count
        - source_timestamp
        - created_at
        - processing_status
      properties:
        id:
          type: string
          description: Begins with \`tr_\`.
          pattern: ^tr_
        name:
          type: string
          description: The uploaded \`name\`.
        model_name:
          type:
            - string
            - "null"
          description: The uploaded \`modelName\`; null if there was none.
        language:
          type:
            - string
            - "null"
          description: The uploaded \`language\`; null if there was none.
        source_system:
          type:
            - string
            - "null"
          description: The uploaded \`sourceSystem\`; null if there was none.
        external_id:
          type:
            - string
            - "null"
          description: The uploaded \`externalId\`; null if there was none.
        external_user_id:
          type:
            - string
            - "null"
          description: The uploaded \`externalUserId\`; null if there was none.
        metadata:
          description: The uploaded \`metadata\`; empty if there was none.
          allOf:
            - $ref: "#/components/schemas/OpenObject"
        turn_count:
          type: number
          description: The number of turns.
        user_turn_count:
          type: number
          description: The number of turns with the role \`user\`.
        assistant_turn_count:
          type: number
          description: The number of turns with the role \`assistant\`.
        total_token_count:
          type: number
          description: The number of tokens; how they are counted is not shown.
        source_timestamp:
          type:
            - string
            - "null"
          format: date-time
          description: The uploaded \`sourceTimestamp\`, ISO 8601; null if there was none.
        created_at:
          type: string
          format: date-time
          description: Time of the upload, ISO 8601.
        processing_status:
          $ref: "#/components/schemas/ProcessingStatus"
          description: The state after the upload.
    ProcessingStatus:
      type: string
      description: |
        \`queued\`: \`process\` is true and the annotation job was submitted. \`skipped\`: \`process\` is false. \`error\`:
        \`process\` is true and the job could not be submitted; the transcript is stored all the same. Later transitions
        are not shown.
      enum:
        - queued
        - skipped
        - error
    TranscriptRow:
      type: object
      description: |
        A row of the transcript list. Its fields are not shown: those of \`Transcript\` and any other may be present, and only
        the identifier is relied upon.
      required:
        - id
      properties:
        id:
          type: string
          description: Identifier of the transcript; begins with \`tr_\`.
        name:
          type: string
          description: The uploaded \`name\`.
        model_name:
          type:
            - string
            - "null"
          description: The uploaded \`modelName\`; null if there was none.
        language:
          type:
            - string
            - "null"
          description: The uploaded \`language\`; null if there was none.
        source_system:
          type:
            - string
            - "null"
          description: The uploaded \`sourceSystem\`; null if there was none.
        external_id:
          type:
            - string
            - "null"
          description: The uploaded \`externalId\`; null if there was none.
        external_user_id:
          type:
            - string
            - "null"
          description: The uploaded \`externalUserId\`; null if there was none.
        metadata:
          type: object
          description: The uploaded \`metadata\`; empty if there was none.
          additionalProperties: true
        turn_count:
          type: number
          description: The number of turns.
        user_turn_count:
          type: number
          description: The number of turns with the role \`user\`.
        assistant_turn_count:
          type: number
          description: The number of turns with the role \`assistant\`.
        total_token_count:
          type: number
          description: The number of tokens; how they are counted is not shown.
        source_timestamp:
          type:
            - string
            - "null"
          format: date-time
          description: The uploaded \`sourceTimestamp\`, ISO 8601; null if there was none.
        created_at:
          type: string
          format: date-time
          description: Time of the upload, ISO 8601.
        processing_status:
          $ref: "#/components/schemas/ProcessingStatus"
          description: The state after the upload.
      additionalProperties: true
    TranscriptDetail:
      description: |
        A transcript with all its turns and annotations. The field list is not shown: the fields of a row, \`turns\`,
        \`annotations\` and any other may be present.
      allOf:
        - $ref: "#/components/schemas/TranscriptRow"
        - type: object
          properties:
            turns:
              type: array
              description: The turns in their order; a reading, in which they have the fields of an upload.
              items:
                $ref: "#/components/schemas/Turn"
            annotations:
              $ref: "#/components/schemas/Unspecified"
              description: The annotations; any JSON value.
          additionalProperties: true
    Pagination:
      type: object
      description: The place of a page in its list.
      required:
        - page
        - limit
        - total
      properties:
        page:
          type: number
          description: 1-indexed number of this page.
        limit:
          type: number
          description: Page size.
        total:
          type: number
          description: The number of items in the whole list.
    ProcessingTime:
      type: number
      description: Server-side processing time in milliseconds.
    ProjectResponse:
      type: object
      description: The envelope of one record.
      required:
        - data
        - processing_time_ms
      properties:
        data:
          $ref: "#/components/schemas/Project"
          description: The project.
        processing_time_ms:
          $ref: "#/components/schemas/ProcessingTime"
          description: Server-side processing time in milliseconds.
    ProjectDetailResponse:
      type: object
      description: The envelope of one record.
      required:
        - data
        - processing_time_ms
      properties:
        data:
          $ref: "#/components/schemas/ProjectDetail"
          description: The project.
        processing_time_ms:
          $ref: "#/components/schemas/ProcessingTime"
          description: Server-side processing time in milliseconds.
    ProjectListResponse:
      type: object
      description: One page of projects.
      required:
        - data
        - pagination
        - processing_time_ms
      properties:
        data:
          type: array
          description: The items of the page; their order is not shown.
          items:
            $ref: "#/components/schemas/Project"
        pagination:
          $ref: "#/components/schemas/Pagination"
          description: 1-indexed page, page size and total items.
        processing_time_ms:
          $ref: "#/components/schemas/ProcessingTime"
          description: Server-side processing time in milliseconds.
    TranscriptResponse:
      type: object
      description: The envelope of one record.
      required:
        - data
        - processing_time_ms
      properties:
        data:
          $ref: "#/components/schemas/Transcript"
          description: The transcript.
        processing_time_ms:
          $ref: "#/components/schemas/ProcessingTime"
          description: Server-side processing time in milliseconds.
    TranscriptListResponse:
      type: object
      description: List bodies add \`pagination\`; the body of this one list is not shown, so it is optional here.
      required:
        - data
        - processing_time_ms
      properties:
        data:
          type: array
          description: The items of the page; their order is not shown.
          items:
            $ref: "#/components/schemas/TranscriptRow"
        pagination:
          $ref: "#/components/schemas/Pagination"
          description: 1-indexed page, page size and total items.
        processing_time_ms:
          $ref: "#/components/schemas/ProcessingTime"
          description: Server-side processing time in milliseconds.
    TranscriptDetailResponse:
      type: object
      description: The envelope of one record.
      required:
        - data
        - processing_time_ms
      properties:
        data:
          $ref: "#/components/schemas/TranscriptDetail"
          description: The transcript.
        processing_time_ms:
          $ref: "#/components/schemas/ProcessingTime"
          description: Server-side processing time in milliseconds.
    AuthenticationError:
      type: object
      description: The error body of a missing or invalid key.
      required:
        - error
      properties:
        error:
          type: object
          description: The error.
          required:
            - message
            - type
            - code
          properties:
            message:
              type: string
              description: A message for people.
            type:
              type: string
              description: The kind of error.
              const: authentication_error
            code:
              type: number
              description: The HTTP status.
              const: 401
    AuthorizationError:
      type: object
      description: The error body of a key that lacks a permission.
      required:
        - error
      properties:
        error:
          type: object
          description: The error.
          required:
            - message
            - type
            - code
          properties:
            message:
              type: string
              description: A message for people.
            type:
              type: string
              description: The kind of error.
              const: authorization_error
            code:
              type: number
              description: The HTTP status.
              const: 403
    InvalidRequestError:
      type: object
      description: Only the type is shown; other fields are open.
      required:
        - error
      properties:
        error:
          type: object
          description: The error.
          required:
            - type
          properties:
            message:
              type: string
              description: A message for people.
            type:
              type: string
              description: The kind of error.
              const: invalid_request_error
            code:
              type: number
              description: The HTTP status.
    RateLimitError:
      type: object
      description: The envelope of the other errors. This body is not shown, so its fields are optional.
      required:
        - error
      properties:
        error:
          type: object
          description: The error.
          properties:
            message:
              type: string
              description: A message for people.
            type:
              type: string
              description: The kind of error.
            code:
              type: number
              description: The HTTP status.
    NotFoundError:
      type: object
      description: Only the type is shown; other fields are open.
      required:
        - error
      properties:
        error:
          type: object
          description: The error.
          required:
            - type
          properties:
            message:
              type: string
              description: A message for people.
            type:
              type: string
              description: The kind of error.
              const: not_found_error
            code:
              type: number
              description: The HTTP status.
    OpenObject:
      type: object
      description: An object of any fields.
      additionalProperties: true
  parameters:
    projectId:
      name: projectId
      in: path
      required: true
      description: Has the form \`hp-<uuid>\`; the project must belong to the key's workspace.
      schema:
        type: string
        pattern: ^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$
      example: hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10
    page:
      name: page
      in: query
      description: 1-indexed page number.
      schema:
        type: number
        default: 1
        minimum: 1
    limit:
      name: limit
      in: query
      description: Page size.
      schema:
        type: number
        default: 20
        minimum: 1
        maximum: 100
`
