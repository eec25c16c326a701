# Build with `docker build -t switchyard .`; run with a volume at /data, or with DATABASE_URL.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci
COPY scripts ./scripts
COPY src ./src
COPY client ./client
COPY cli ./cli
COPY console ./console
COPY recipes ./recipes
COPY test ./test
COPY bench ./bench
COPY tour ./tour
# The image has nothing to build from, and the commands of the operator, such as `npm run platform`, begin with a build.
RUN npm run build && npm prune --omit=dev && npm pkg set scripts.build=true

FROM node:20-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
# PostgreSQL refuses to run as root and looks up its account by name, so the service runs as the `node` user of the image.
RUN mkdir /data && chown node:node /data
COPY --from=build --chown=node:node /app/package.json ./
COPY --from=build --chown=node:node /app/node_modules ./node_modules
COPY --from=build --chown=node:node /app/dist/src ./dist/src
COPY --from=build --chown=node:node /app/dist/client ./dist/client
COPY --from=build --chown=node:node /app/dist/cli ./dist/cli
COPY --from=build --chown=node:node /app/dist/console ./dist/console
COPY --chown=node:node bin ./bin
COPY --chown=node:node migrations ./migrations
COPY --chown=node:node recipes ./recipes
COPY --chown=node:node fixtures ./fixtures
COPY --chown=node:node docs ./docs
USER node
VOLUME /data
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "const {ROLE,PORT,METRICS_PORT}=process.env;const port=ROLE==='worker'?METRICS_PORT||'9464':PORT||'8080';port==='off'?process.exit(0):fetch(`http://127.0.0.1:${port}/readyz`).then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "dist/src/main.js"]
