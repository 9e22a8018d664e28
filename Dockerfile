# One image for every process of ours; the command says which: api/main.ts, worker/main.ts, bin/ops/migrate.ts, bin/demo.ts.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /srv/sangjeom
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --omit=dev --no-audit --no-fund
COPY api api
COPY domain domain
COPY workflows workflows
COPY db db
COPY activities activities
COPY worker worker
COPY bin bin
# The workflow bundle is built once, here, and not by each worker that starts.
RUN node --input-type=module -e "await (await import('./worker/bundle.ts')).workflowBundle()"

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production NODE_NO_WARNINGS=1 HOST=0.0.0.0
WORKDIR /srv/sangjeom
COPY --from=build /srv/sangjeom .
RUN mkdir /srv/uploads && chown node:node /srv/uploads
LABEL org.opencontainers.image.version=0.2.0
USER node
EXPOSE 3000
CMD ["node", "--max-old-space-size=256", "--max-semi-space-size=12", "api/main.ts"]
