# syntax=docker/dockerfile:1
# docker buildx build --platform linux/amd64,linux/arm64 --tag kubemirror .

# The jar is the same on every platform, so it is built on the builder's own. Taken apart, a change of the code is a
# small layer.
FROM --platform=$BUILDPLATFORM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src src
RUN --mount=type=cache,target=/m2 mvn -B -ntp -Dmaven.repo.local=/m2 package -DskipTests
RUN java -Djarmode=tools -jar target/kubemirror.jar extract --layers --destination layers

# A Java runtime of the modules that are needed, for the platform of the image.
FROM eclipse-temurin:25-jdk AS runtime
WORKDIR /runtime
RUN jlink --no-header-files --no-man-pages --output java --add-modules \
    java.base,java.desktop,java.instrument,java.management,java.naming,java.net.http,java.security.jgss,java.sql,jdk.jfr,jdk.management,jdk.unsupported

# The C library, certificates and time zones: no shell and no package manager. What follows is therefore in the form
# that needs no shell either.
FROM gcr.io/distroless/base-nossl-debian12
ENV PATH=/opt/java/bin
WORKDIR /kubemirror
COPY --from=runtime /runtime/java /opt/java
COPY --from=build /build/layers/dependencies/ ./
COPY --from=build /build/layers/snapshot-dependencies/ ./
COPY --from=build /build/layers/spring-boot-loader/ ./
COPY --from=build /build/layers/application/ ./
COPY --from=build /build/src/main/docker/ ./
# A start that ends before anything is mirrored, of which the JVM keeps what it has loaded and linked: the next one
# takes half the time. Only the very same JVM and files can use it, so it is made here and not in a stage before.
RUN ["java", "@jvm.options", "-XX:AOTCacheOutput=kubemirror.aot", "-Dspring.context.exit=onRefresh", "-jar", "kubemirror.jar", "--kubemirror.upstream.server=http://127.0.0.1:1", "--kubemirror.resources[0].resource=pods"]

# A number, so that Kubernetes can see that it is not root (runAsNonRoot).
USER 65532:65532

# The options of the JVM, of a small sidecar; "@jvm.options @node.options" where thousands of clients read.
ENV JDK_JAVA_OPTIONS=@jvm.options
# What native memory the JVM's own threads take is given back in fewer pieces.
ENV MALLOC_ARENA_MAX=2

# 8001 is the API, on loopback unless configured otherwise; 8002 is health and metrics.
EXPOSE 8001 8002

# For engines without probes of their own, such as docker compose: healthy once everything is mirrored.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m --start-interval=1s \
    CMD ["java", "-XX:AOTCache=kubemirror.aot", "-jar", "kubemirror.jar", "diagnose", "--quiet"]

# On a read-only root file system only /tmp has to be writable. Configuration is found in
# /kubemirror/config/application.yaml.
ENTRYPOINT ["java", "-XX:AOTCache=kubemirror.aot", "-jar", "kubemirror.jar"]

# Last, as they change with every commit.
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=unknown
LABEL org.opencontainers.image.title=kubemirror
LABEL org.opencontainers.image.description="A cached mirror of Kubernetes resources that serves the Kubernetes read API from memory"
LABEL org.opencontainers.image.licenses=Apache-2.0
LABEL org.opencontainers.image.version=$VERSION
LABEL org.opencontainers.image.revision=$REVISION
LABEL org.opencontainers.image.base.name=gcr.io/distroless/base-nossl-debian12
