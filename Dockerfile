# glibc: Temporal's native library has no build for musl, so no Alpine here. A tag can be moved, a
# digest cannot: an update changes both.
ARG NODE=24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM node:${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY tools/clean.mjs tools/
COPY tools/sandbox tools/sandbox
COPY src src
COPY workflows workflows
COPY activities activities
COPY api api
# The stand-in for AWS and the programs of a checkout are for development.
RUN npm run build && rm -r dist/tools dist/src/main/dev

FROM node:${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional are only the embedded Postgres and compilers: a worker loads the bundle built above. Of
# Temporal's native library, which comes for five platforms, this one's is kept (110 MB less).
RUN npm ci --no-audit --omit=dev --omit=optional \
  && cd node_modules/@temporalio/core-bridge/releases \
  && find . -mindepth 1 -maxdepth 1 -type d ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM node:${NODE}
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY migrations migrations
COPY tools/production/namespace.mjs tools/production/
COPY --from=build /app/dist dist
# Fails the build, not the first start, if something that is needed at run time was left out.
RUN node dist/src/main/cli.js --version && node --eval "require('@temporalio/worker')"
USER node
EXPOSE 3000
ENTRYPOINT ["node", "dist/src/main/cli.js"]
CMD ["--help"]
