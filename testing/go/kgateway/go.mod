module inference.test/kgateway

go 1.26.0

require github.com/kgateway-dev/kgateway/v2 v2.4.0
