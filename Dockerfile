# The JDK builds, the layers are taken apart, the JRE runs them: a change of the code is a small layer.
FROM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src src
RUN --mount=type=cache,target=/m2 mvn -B -ntp -Dmaven.repo.local=/m2 package -DskipTests
RUN java -Djarmode=tools -jar target/kubemirror.jar extract --layers --destination layers

FROM eclipse-temurin:25-jre
WORKDIR /kubemirror
COPY --from=build /build/layers/dependencies/ ./
COPY --from=build /build/layers/snapshot-dependencies/ ./
COPY --from=build /build/layers/spring-boot-loader/ ./
COPY --from=build /build/layers/application/ ./
COPY --from=build /build/src/main/docker/ ./
# A start that ends before anything is mirrored, of which the JVM keeps what it has loaded and linked: the next one takes half the time.
RUN java @jvm.options -XX:AOTCacheOutput=kubemirror.aot -Dspring.context.exit=onRefresh -jar kubemirror.jar \
    --kubemirror.upstream.server=http://127.0.0.1:1 --kubemirror.resources[0].resource=pods

# A number, so that Kubernetes can see that it is not root (runAsNonRoot).
USER 65532:65532

# The options of the JVM, of a small sidecar; "@jvm.options @node.options" where thousands of clients read.
ENV JDK_JAVA_OPTIONS=@jvm.options
# What native memory the JVM's own threads take is given back in fewer pieces.
ENV MALLOC_ARENA_MAX=2

# 8001 is the API, on loopback unless configured otherwise; 8002 is health and metrics.
EXPOSE 8001 8002

# On a read-only root file system only /tmp has to be writable. Configuration is found in
# /kubemirror/config/application.yaml.
ENTRYPOINT ["java", "-XX:AOTCache=kubemirror.aot", "-jar", "kubemirror.jar"]
