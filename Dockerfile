# syntax=docker/dockerfile:1
#
# The TARSy image. `make image` builds it with the version from git; see packaging/README.md for how to run it.
# VARIANT=with-node includes Node for MCP servers that `npx` starts, and the Kubernetes MCP server.
#
# It runs as an unprivileged user and writes only to /data and /tmp, so the root file system may be read-only.
ARG VARIANT=plain

FROM node:22-bookworm-slim AS dashboard
WORKDIR /src/dashboard
COPY dashboard/package.json dashboard/package-lock.json dashboard/.npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY dashboard/ ./
RUN npm run build

FROM rust:1.95-bookworm AS program
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY crates/ crates/
COPY proto/ proto/
COPY --from=dashboard /src/dashboard/dist/ dashboard/dist/
# The build context has no git repository.
ARG TARSY_BUILD_VERSION
# The binary is copied out of the cache in the same step, because cache mounts are not available in the next one.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --bin tarsy && \
    install -D target/dist/tarsy /image/tarsy && \
    install --directory /image/data
# Everything the binary needs from the system: shared libraries, /tmp, and CA certificates.
RUN install --directory --mode=1777 /system/tmp && \
    ldd /image/tarsy | grep --only-matching '/[^ ]*' | xargs cp --dereference --parents --target-directory=/system && \
    cp --parents --target-directory=/system /etc/ssl/certs/ca-certificates.crt

FROM scratch AS plain
COPY --from=program /system/ /

FROM node:22-bookworm-slim AS with-node
# The same version as in the built-in configuration.
RUN --mount=type=cache,target=/root/.npm npm install --global kubernetes-mcp-server@0.0.67
COPY --from=program /system/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt

FROM ${VARIANT}
COPY --from=program /image/tarsy /usr/local/bin/tarsy
COPY --from=program --chown=65532:65532 /image/data /data
ENV TARSY_LISTEN=0.0.0.0:8080 \
    TARSY_CONFIG_DIR=/config \
    TARSY_DATA_DIR=/data \
    TARSY_LOG=json \
    HOME=/tmp
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 CMD ["tarsy", "ready"]
ENTRYPOINT ["tarsy"]
CMD ["serve"]
