# syntax=docker/dockerfile:1
# docker buildx build --platform linux/amd64,linux/arm64 --tag ghcr.io/kubemirror/kubemirror:0.1.0-SNAPSHOT .

# The jar is the same on every platform, so it is built on that of the builder. It is split into layers, so that a change of
# the code is a small layer.
FROM --platform=$BUILDPLATFORM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src/main src/main
COPY src/training src/training
# Also in the metric kubemirror_build_info.
ARG REVISION=unknown
RUN --mount=type=cache,target=/m2 mvn -B -ntp -Dmaven.repo.local=/m2 -Dgit.commit.id=$REVISION -Pimage package -DskipTests
RUN java -Djarmode=tools -jar target/kubemirror.jar extract --layers --destination layers
RUN javac -d target/training -sourcepath src/training/java src/training/java/io/kubemirror/training/AotTraining.java

# A Java runtime with the required modules, for the platform of the image. Stack traces have no line numbers of the JDK, which
# would take 10 MB of the image and 1.5 MB of memory.
FROM eclipse-temurin:25-jdk AS runtime
WORKDIR /runtime
RUN jlink --no-header-files --no-man-pages --strip-java-debug-attributes --output java --add-modules \
    java.base,java.desktop,java.instrument,java.management,java.naming,java.net.http,java.security.jgss,java.sql,jdk.jfr,jdk.management,jdk.unsupported

# The C library, certificates, and time zones, without a shell and a package manager. The commands below therefore use the
# form that needs no shell.
FROM gcr.io/distroless/base-nossl-debian12
ENV PATH=/opt/java/bin
WORKDIR /kubemirror
COPY --from=runtime /runtime/java /opt/java
COPY --from=build /build/layers/dependencies/ ./
COPY --from=build /build/layers/snapshot-dependencies/ ./
COPY --from=build /build/layers/spring-boot-loader/ ./
COPY --from=build /build/layers/application/ ./
COPY --from=build /build/src/main/docker/ ./
# The software bill of materials, for scanners.
COPY --from=build /build/target/classes/META-INF/sbom/application.cdx.json ./kubemirror.cdx.json
# A training run with an API server and clients of its own, which are no part of the image. The JVM caches the classes that it
# has loaded and linked by its end. Only the same JVM with the same files can use the cache, so it is created in this stage.
RUN --mount=type=bind,from=build,source=/build/target/training,target=training ["java", "-cp", "training", "io.kubemirror.training.AotTraining", "kubemirror.aot", "@jvm.options", "-jar", "kubemirror.jar"]

# Numeric, so that Kubernetes can verify that it is not root (runAsNonRoot).
USER 65532:65532

# JVM options for a small sidecar. Use "@jvm.options @node.options" for thousands of clients.
ENV JDK_JAVA_OPTIONS=@jvm.options
# Limits the fragmentation of native memory.
ENV MALLOC_ARENA_MAX=2

# 8001: the API, on loopback by default. 8002: health and metrics.
EXPOSE 8001 8002

# For engines without probes: healthy once everything is mirrored. It starts a JVM, so it is rare; compose.yaml asks port 8002.
HEALTHCHECK --interval=1m --timeout=5s --start-period=10m --start-interval=5s \
    CMD ["java", "-XX:AOTCache=kubemirror.aot", "-jar", "kubemirror.jar", "health"]

# With a read-only root file system, only /tmp has to be writable. The configuration is read from
# /kubemirror/config/application.yaml.
ENTRYPOINT ["java", "-XX:AOTCache=kubemirror.aot", "-jar", "kubemirror.jar"]

# Last, because they change with every commit.
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=unknown
LABEL org.opencontainers.image.title=kubemirror
LABEL org.opencontainers.image.description="A cached mirror of Kubernetes resources that serves the Kubernetes read API from memory"
LABEL org.opencontainers.image.licenses=Apache-2.0
LABEL org.opencontainers.image.version=$VERSION
LABEL org.opencontainers.image.revision=$REVISION
LABEL org.opencontainers.image.base.name=gcr.io/distroless/base-nossl-debian12
