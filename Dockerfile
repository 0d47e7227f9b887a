# The JDK builds, the layers are taken apart, the JRE runs them: a change of the code is a small layer.
FROM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src src
RUN --mount=type=cache,target=/root/.m2 mvn -B -ntp package -DskipTests
RUN java -Djarmode=tools -jar target/kubemirror.jar extract --layers --destination layers

FROM eclipse-temurin:25-jre
WORKDIR /kubemirror
COPY --from=build /build/layers/dependencies/ ./
COPY --from=build /build/layers/snapshot-dependencies/ ./
COPY --from=build /build/layers/spring-boot-loader/ ./
COPY --from=build /build/layers/application/ ./

# A number, so that Kubernetes can see that it is not root (runAsNonRoot).
USER 65532:65532

# 8001 is the API, on loopback unless configured otherwise; 8002 is health and metrics.
EXPOSE 8001 8002

# On a read-only root file system only /tmp has to be writable. Configuration is found in
# /kubemirror/config/application.yaml.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=75", "-XX:+ExitOnOutOfMemoryError", "-XX:-UsePerfData", "-jar", "kubemirror.jar"]
