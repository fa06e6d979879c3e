# Debian 12 with Node 24: the libfaiss-dev that faiss-node is built against (1.7.3) is Debian 12's.
FROM node:24-bookworm-slim AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends g++ libfaiss-dev libopenblas-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc threadwise ./
COPY setup ./setup
RUN ./threadwise setup && test -e node_modules/faiss-node/build/Release/faiss-node.node
COPY . .

FROM node:24-bookworm-slim
# What the compiled FAISS is linked with.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libgomp1 libopenblas0-pthread \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin threadwise \
  && install -d -o threadwise -g threadwise -m 0700 /data
WORKDIR /app
COPY --from=build /app /app
ENV NODE_ENV=production \
  THREADWISE_DATA_DIR=/data \
  THREADWISE_WEB_HOST=0.0.0.0 \
  THREADWISE_WEB_PORT=3000
USER threadwise
VOLUME /data
EXPOSE 3000
# Node itself is process 1: the signal reaches it, and it finishes or parks its runs.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.THREADWISE_WEB_PORT + '/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "main.ts", "start"]
